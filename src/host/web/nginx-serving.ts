import { phpLimitSeconds } from '../php/limits.ts'
import { requestedSources, secrets } from './never-served.ts'
import { sentHeaders } from './nginx-settings.ts'

// Resolves a website's path in nginx, with nothing configured for any website: to a file, or else
// to the script of the nearest application above it. Each location has its own root.

// Maximum depth of an application below the public folder. Requested paths may be any deeper.
const deepest = 8
const depths = Array.from({ length: deepest + 1 }, (_, index) => index)

// Number of folders between the public one and the requested path: only these are checked.
const renderDepth = (depth: number): string =>
  depth < deepest
    ? `    "~^(?:/[^/]+){${depth}}/[^/]*$" @front_${depth};`
    : `    default @front_${depth};`

const renderAbove = (depth: number): string => `map $uri $panel_above_${depth} {
    volatile;
    "~^(?<panel_folder_${depth}>(?:/[^/]+){${depth}})/" $panel_folder_${depth};
}`

// The nearest one first.
const renderFront = (depth: number): string => `
    location @front_${depth} {
        ${unlessLibrary}
        root $panel_root/$panel_entry;
        try_files ${frontsFor(depth).join(' ')} @none;
        ${pass}
    }
`

const frontsFor = (depth: number): string[] =>
  depths
    .filter(one => one <= depth)
    .reverse()
    .map(one => `${one === 0 ? '' : `$panel_above_${one}`}/index.php`)

// Maximum number of names ending in .php that are checked in a path; all but the last are folders.
const maxScripts = 4
const scripts = Array.from({ length: maxScripts }, (_, index) => index + 1)

const renderScript = (number: number): string => `map $uri $panel_script_${number} {
    volatile;
    "~*^(?s)(?<panel_to_${number}>(?:.+?\\.php/){${number - 1}}.+?\\.php)/" $panel_to_${number};
    default "";
}`

const renderTook = (digits: number): string =>
  `    "~(?:^|[^0-9])(?<panel_took_${digits}>[0-9]{${digits}})\\.[0-9]+$" \
${'0'.repeat(3 - digits)}$panel_took_${digits};`

// Numbers of as many digits: after the same ones, one that is greater.
const greater = Array.from(
  { length: 9 },
  (_, digit) => `${digit}[0-9]*\\|\\k{panel_same}[${digit + 1}-9]`,
)

const pass = 'fastcgi_pass unix:$panel_root/php.sock;'

const parameters = `include /etc/nginx/fastcgi_params;
        fastcgi_param SCRIPT_FILENAME $realpath_root$fastcgi_script_name;
        fastcgi_param DOCUMENT_ROOT $realpath_root;
        fastcgi_param HTTP_HOST $host;
        fastcgi_param SERVER_NAME $host;
        fastcgi_param HTTPS $panel_https if_not_empty;
        fastcgi_param REQUEST_SCHEME $panel_request_scheme;
        # The Proxy header would become the variable HTTP_PROXY, which clients use.
        fastcgi_param HTTP_PROXY "";`

// WordPress packages serve styles from there, so in an application's subfolder only scripts are
// refused.
const unlessLibrary = 'if (-f $panel_root/$panel_entry$panel_library) { return 404; }'

const unlessLibraries = 'if (-f $panel_closed/$panel_entry/vendor/autoload.php) { return 404; } '

// Locations of a website's files; `first` begins each of them. Most paths are files that only the
// first pattern is matched against.
const filesBelow = (first: string): string => `${first}root $panel_root/$panel_entry;
        # Only for files: answers of scripts and errors are in other locations.
        add_header Cache-Control $panel_keeping;
        ${sentHeaders.join('\n        ')}
        # Never a .php file here: these are served as static files.
        try_files $uri $uri/ $panel_fallback;

        location ~* "\\.(?:ph|inc|sql)|/(?:\\.(?!well-known/)|composer\\.|auth\\.|wp-config\\.)" {
            ${first}root $panel_root/$panel_entry;
            try_files $uri $uri/ $panel_fallback;

            location ~* "/\\.(?!well-known/)[^/]*/|/wp-config\\.php/" {
                return 404;
            }

            # As if it did not exist.
            location ~* "${secrets}" {
                ${first}root $panel_root/$panel_entry;
                if (-e $request_filename) {
                    return 404;
                }
                try_files /. @script;
            }

            # As if it did not exist, unless sources are served.
            location ~* "${requestedSources}" {
                ${first}root $panel_open/$panel_entry;
                if (-e $panel_closed/$panel_entry$uri) {
                    return 404;
                }
                try_files $uri $uri/ @script;
            }

            location ~* \\.php$ {
                ${first}${unlessLibrary}
                root $panel_root/$panel_entry;
                try_files $uri @script;
                ${pass}
            }

            # A script, unless it is a folder of that name.
            location ~* \\.php/ {
                ${first}root $panel_root/$panel_entry;
                try_files $uri $uri/ @script;
            }
        }`

/** nginx maps that the locations use. */
export const servingMaps = `\
# The script in a path that continues after it: the first of these that is a file, as folders may
# have such names too.
${scripts.map(renderScript).join('\n')}

# The rest of the path: two slashes separate the script from the whole path, which has none itself.
map $uri//$panel_asked $panel_info {
    volatile;
    "~^(?s)(?<panel_ran>.+?)//\\k{panel_ran}(?<panel_more>/.*)$" $panel_more;
    default "";
}

# A file that Composer puts next to the libraries in a folder. If there is none, this is the public
# folder, which is not a file.
map $uri $panel_library {
    volatile;
    "~^(?<panel_libraries>(?:/.+?)?/vendor)/" $panel_libraries/autoload.php;
    default "";
}

# The folders above the requested path, which may contain an application.
map $uri $panel_front {
    volatile;
${depths.map(renderDepth).join('\n')}
}
${depths.slice(1).map(renderAbove).join('\n')}

# The whole seconds that PHP has taken, as three digits.
map $upstream_response_time $panel_took {
    "~[0-9]{4,}\\.[0-9]+$" 999;
${[3, 2, 1].map(renderTook).join('\n')}
    default 000;
}
# Whether that is the time limit: of the website's folder, or else ${phpLimitSeconds} s.
map "$panel_limit|$panel_took" $panel_late {
    "~^\\|[3-9]" 1;
    "~/(?<panel_equal>[0-9]{3})\\|\\k{panel_equal}$" 1;
    "~/(?<panel_same>[0-9]{0,2})(?:${greater.join('|')})" 1;
    default "";
}
`

/** The locations of websites' files and scripts. */
export const servingLocations = `\
    ${parameters.replaceAll('\n    ', '\n')}
    # Shops set cookies and policies of many kilobytes; larger headers are a 502.
    fastcgi_buffer_size 32k;
    fastcgi_buffers 8 32k;
    # PHP ends it at its next check after ${phpLimitSeconds} s; visitors do not wait that long.
    fastcgi_read_timeout ${phpLimitSeconds + 10}s;
    fastcgi_send_timeout ${phpLimitSeconds + 10}s;

    location / {
        ${filesBelow('')}
    }

    # The libraries of an application that is the document root itself: Composer's files are only
    # for its own scripts.
    location /vendor/ {
        ${filesBelow(unlessLibraries)}
    }

    # A script followed by more of a path.
    location @script {
        ${unlessLibrary}
        root $panel_root/$panel_entry;
        set $panel_asked $uri;
        try_files ${scripts.map(number => `$panel_script_${number}`).join(' ')} $panel_fallback;
        ${parameters}
        fastcgi_param PATH_INFO $panel_info if_not_empty;
        ${pass}
    }

    # A path that is not a file goes to the application: the index.php of the nearest folder above
    # that has one. PHP gets everything found here, and nothing is served as a static file.
${depths.map(renderFront).join('').slice(1)}`
