package images

import (
	"github.com/myuser/db-operator/devcluster/archive"
)

// postgres follows https://github.com/docker-library/postgres, whose images
// are Debian with the same packages from another archive.
func postgres(series, data, volume string, stable bool, suites ...string) recipe {
	r := recipe{
		Repository: "docker.io/library/postgres",
		Series:     series,
		Suites:     suites,
		Security:   stable,
		// libnss-wrapper is how the official entry point lets initdb run under a
		// uid without a name; locales is for localedef alone.
		Packages:  []string{"postgresql-" + series, "libnss-wrapper", "locales", "xz-utils", "zstd", "less"},
		Versioned: "postgresql-" + series,
		// The package would make its own user and a first database cluster.
		Setup: `set -e
echo 'postgres:x:999:' >>"$1/etc/group"
echo 'postgres:x:999:999::/var/lib/postgresql:/bin/bash' >>"$1/etc/passwd"
echo 'postgres:!:19000::::::' >>"$1/etc/shadow"
mkdir -p "$1/etc/postgresql-common"
echo 'create_main_cluster = false' >"$1/etc/postgresql-common/createcluster.conf"
`,
		Finish: `set -e
chroot "$1" localedef -i en_US -c -f UTF-8 en_US.UTF-8
cd "$1/usr/share/postgresql"
sed -E "s/^#?listen_addresses = '[^']*'/listen_addresses = '*'/" ` + series + `/postgresql.conf.sample >postgresql.conf.sample
grep -q "^listen_addresses = '\*'" postgresql.conf.sample
ln -sf ../postgresql.conf.sample ` + series + `/postgresql.conf.sample
`,
		Skip: []string{
			// The just-in-time compiler. The server does without it silently.
			"usr/lib/*/libLLVM*", "usr/lib/*/libz3*", "usr/lib/llvm-*",
			"usr/lib/postgresql/*/lib/bitcode/*", "usr/lib/postgresql/*/lib/llvmjit*",
			"usr/lib/postgresql/*/lib/pgxs/*", "usr/include/*",
		},
		Remove: []string{
			"usr/lib/postgresql/*/lib/bitcode", "usr/lib/postgresql/*/lib/pgxs",
			"etc/postgresql-common/createcluster.conf.*", "var/lib/postgresql/*",
			"etc/init.d/postgresql", "etc/cron*",
		},
		Add: []addition{
			{Path: "docker-entrypoint-initdb.d", Mode: 0o755},
			{Path: "usr/local/bin/docker-entrypoint.sh", Mode: 0o755, Content: postgresEntrypoint},
			{Path: "var/lib/postgresql", Mode: 0o1777, UID: 999, GID: 999},
			{Path: "run/postgresql", Mode: 0o3777, UID: 999, GID: 999},
		},
		Config: archive.Config{
			Env: []string{
				"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/postgresql/" + series + "/bin",
				"LANG=en_US.utf8",
				"PG_MAJOR=" + series,
				"PG_VERSION={version}",
				"PGDATA=" + data,
			},
			Entrypoint:   []string{"docker-entrypoint.sh"},
			Cmd:          []string{"postgres"},
			ExposedPorts: map[string]struct{}{"5432/tcp": {}},
			Volumes:      map[string]struct{}{volume: {}},
			StopSignal:   "SIGINT",
		},
	}
	if data == volume {
		r.Add = append(r.Add, addition{Path: data[1:], Mode: 0o1777, UID: 999, GID: 999})
	}
	return r
}

// Up to 17 the volume is the data directory; from 18 on it is the folder above
// the version's own (https://github.com/docker-library/postgres/pull/1259).
var postgresRecipes = []recipe{
	postgres("15", "/var/lib/postgresql/data", "/var/lib/postgresql/data", true, "bookworm"),
	postgres("17", "/var/lib/postgresql/data", "/var/lib/postgresql/data", true, "trixie"),
	postgres18(),
}

func postgres18() recipe {
	r := postgres("18", "/var/lib/postgresql/18/docker", "/var/lib/postgresql", false, "forky", "sid")
	// postgresql-common wants systemd or this part of it.
	r.Packages = append(r.Packages, "systemd-standalone-tmpfiles")
	return r
}

// It starts the server with one line, initialising an empty data directory with
// the password of $POSTGRES_PASSWORD, and runs any other command as it is. initdb
// wants a name for its user; under a uid without one libnss-wrapper makes it up.
const postgresEntrypoint = `#!/bin/sh
set -eu
case "${1:-}" in -*) set -- postgres "$@" ;; esac
if [ "${1:-}" = postgres ]; then
	mkdir -p -m 0700 "$PGDATA"
	if [ "$(id -u)" = 0 ]; then
		chown -R postgres:postgres "$PGDATA"
		exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
	fi
	chmod 0700 "$PGDATA" 2>/dev/null || :
	if [ ! -s "$PGDATA/PG_VERSION" ]; then
		method="${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}"
		if [ -z "${POSTGRES_PASSWORD:-}" ] && [ "$method" != trust ]; then
			echo >&2 "set POSTGRES_PASSWORD, or POSTGRES_HOST_AUTH_METHOD=trust for an open server"
			exit 1
		fi
		if ! id -un >/dev/null 2>&1; then
			NSS_WRAPPER_PASSWD="$(mktemp)" NSS_WRAPPER_GROUP="$(mktemp)"
			LD_PRELOAD="$(ls /usr/lib/*/libnss_wrapper.so)"
			echo "postgres:x:$(id -u):$(id -g)::$PGDATA:/bin/false" >"$NSS_WRAPPER_PASSWD"
			echo "postgres:x:$(id -g):" >"$NSS_WRAPPER_GROUP"
			export NSS_WRAPPER_PASSWD NSS_WRAPPER_GROUP LD_PRELOAD
		fi
		printf '%s\n' "${POSTGRES_PASSWORD:-unused}" | initdb --username=postgres --pwfile=/dev/stdin
		printf '\nhost all all all %s\n' "$method" >>"$PGDATA/pg_hba.conf"
		unset LD_PRELOAD
	fi
fi
exec "$@"
`
