import t from 'tap'
import { closedFolders } from '../../src/host/web/htaccess/closed.ts'

// Finds the folders that .htaccess files close as a whole.

t.test('a folder is closed by a file that admits no one, unless a deeper one does', t => {
  const closed = (files: Record<string, string>) =>
    closedFolders(Object.entries(files).map(([path, text]) => ({ path, text })))
  const denied = 'Require all denied\n'
  const alone: [text: string, isClosed: boolean][] = [
    [denied, true],
    ['deny from all', true],
    ['Order allow,deny\nDENY FROM ALL\nSatisfy All', true],
    ['<IfModule mod_authz_core.c>\nrequire ALL denied\n</IfModule>', true],
    ['<IfModule !mod_authz_core.c>\nDeny from all\n</IfModule>', false],
    ['<Files x>\nDeny from all\n</Files>', false],
    ['<Limit GET>\nDeny from all\n</Limit>', false],
    ['<RequireNone>\nRequire all denied\n</RequireNone>', false],
    ['<RequireAny>\nRequire all denied\nRequire ip 192.0.2.1\n</RequireAny>', false],
    [`${denied}<Files x>\nRequire all granted\n</Files>`, false],
    [`${denied}<Files x>\nRequire all denied\n</Files>`, true],
    ['Deny from all\nAllow from 192.0.2.1', false],
    ['Deny from all\nSatisfy any', false],
    ['Deny from all\nRequire valid-user', false],
    ['Deny from 192.0.2.1', false],
    ['# Deny from all', false],
    ['RewriteRule ^ - [F]', false],
  ]
  for (const [text, isClosed] of alone) {
    t.strictSame(closed({ '/a/.htaccess': text }), isClosed ? ['/a'] : [], text)
  }
  t.strictSame(closed({ '/.htaccess': denied }), [], 'not a whole website')
  t.strictSame(closed({ '/a/.htaccess': denied, '/a/b/.htaccess': denied }), ['/a'])
  t.strictSame(closed({ '/a/.htaccess': denied, '/ab/.htaccess': denied }), ['/a', '/ab'])
  const opened = { '/a/b/.htaccess': 'Require all granted', '/a/c/.htaccess': denied }
  t.strictSame(closed({ '/a/.htaccess': denied, ...opened }), ['/a/c'])
  t.end()
})
