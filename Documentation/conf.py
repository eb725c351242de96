# SPDX-License-Identifier: Apache-2.0
#
# How Sphinx turns this folder into pages: see automake.mk.  The release is
# the one of configure.ac.

import os
import re


def read_release():
    """Returns the release as configure.ac has it."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        os.pardir, 'configure.ac')
    with open(path, encoding='utf-8') as file:
        return re.search(r'AC_INIT\(\[[^]]*\], \[([^]]*)\]',
                         file.read()).group(1)


project = 'ovs-afxdp'
author = 'The ovs-afxdp authors'
release = read_release()
version = release

root_doc = 'index'
exclude_patterns = ['html', 'doctrees', 'dummy']
nitpicky = True
highlight_language = 'text'
smartquotes = False

html_theme = 'alabaster'
html_theme_options = {
    'description': 'Open vSwitch on AF_XDP',
    'page_width': '62em',
    'sidebar_width': '15em',
}
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
