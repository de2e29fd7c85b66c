import type { DebianMachine } from '../debian-machine.ts'
import { must } from '../debian-root.ts'
import type { Customer } from './customer.ts'

// Applications come from the packages of the machine's Debian, but only their files: as from the
// archive that their authors offer, and with the libraries that Debian keeps apart from them.

const packages = [
  'dokuwiki',
  'mediawiki',
  'phpmyadmin',
  'roundcube-core',
  'wordpress',
  'wordpress-theme-twentytwentythree',
]

/** Contains the files of the packages, as a root folder would. */
export const unpacked = '/srv/applications'

/** Unpacks the applications on a machine; returns the version of each, without Debian's parts. */
export async function unpackApplications(machine: DebianMachine): Promise<Map<string, string>> {
  // In its files, but in this machine's network. What it has installed is left out; what is
  // missing are the applications and their libraries.
  const options = '-qq -y --no-install-recommends --download-only'
  await must('chroot', [
    ...[machine.root, 'sh', '-ec'],
    `mkdir -p ${unpacked}/packages/partial
    apt-get install ${options} -o Dir::Cache::archives=${unpacked}/packages ${packages.join(' ')}
    cd ${unpacked}
    for package in packages/*.deb; do dpkg-deb -x "$package" .; done
    # Links between packages lead to their place in this folder; a few lead nowhere.
    find . -type l -lname '/*' -printf '%p\\n%l\\n' | while read -r link && read -r to; do
      ! [ -e "${unpacked}$to" ] || ln -sfn "${unpacked}$to" "$link"
    done
    find . -xtype l -delete
    chmod -R a+rX .`,
  ])
  const debs = `${unpacked}/packages`
  const format = '${Package} ${Version}\\n'
  const show = `for deb in ${debs}/*.deb; do dpkg-deb -W --showformat='${format}' $deb; done`
  const shown = await machine.must('sh', '-ec', `${show}; rm -r ${debs}`)
  const versions = shown.matchAll(/^(\S+) (?:\d+:)?(?:0\.0\.)?(\d[\d.]*(?:-\d\d-\d\d)?[a-z]?)/gm)
  return new Map([...versions].map(([, name = '', version = '']) => [name, version]))
}

/** The folder in the home with the customer's copies of Debian's libraries. */
export const libraries = 'files/usr/share'

/**
 * Puts an application into a folder of the customer's home. Debian's libraries are in another, and
 * their paths in its files are those there.
 */
export async function bring(
  { as }: Customer,
  from: string,
  to: string,
  ...left: string[]
): Promise<void> {
  const options = left.map(name => `--exclude='./${name}'`).join(' ')
  const theirs = `{ grep -rlE '/usr/share/(php|javascript)' . || true; } |
    xargs -r sed -Ei "s,/usr/share/(php|javascript),$HOME/${libraries}/\\1,g"`
  await as(`if ! [ -e ${libraries} ]; then
      mkdir -p ${libraries}; cd ${libraries}
      for name in php php-geshi javascript; do cp -rL ${unpacked}/usr/share/$name .; done
      ${theirs}
    fi
    cd; mkdir -p ${to}; cd ${to}
    tar -C ${unpacked}/${from} -ch ${options} . | tar -x
    ${theirs}`)
}
