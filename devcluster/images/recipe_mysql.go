package images

import (
	"github.com/myuser/db-operator/devcluster/archive"
)

// mysql follows https://github.com/docker-library/mysql (Dockerfile.oracle),
// whose images are Oracle Linux with Oracle's "minimal" server package. What that
// package leaves out is left out here:
// https://github.com/mysql/mysql-server/blob/trunk/packaging/rpm-docker/mysql.spec.in
var mysqlRecipes = []recipe{{
	Repository: "docker.io/library/mysql",
	Series:     "9.7",
	Suites:     []string{"sid", "forky"},
	Packages:   []string{"mysql-server-core", "mysql-client-core", "tzdata", "openssl", "xz-utils", "zstd", "bzip2"},
	Versioned:  "mysql-server-core",
	Setup: `set -e
echo 'mysql:x:999:' >>"$1/etc/group"
echo 'mysql:x:999:999::/var/lib/mysql:/bin/bash' >>"$1/etc/passwd"
echo 'mysql:!:19000::::::' >>"$1/etc/shadow"
`,
	Skip: []string{
		"usr/bin/ibd2sdi", "usr/bin/innochecksum", "usr/bin/myisam*", "usr/bin/perror",
		"usr/bin/mysqlbinlog", "usr/bin/mysqlcheck", "usr/bin/mysqldumpslow", "usr/bin/mysqlimport",
		"usr/bin/mysqld_safe", "usr/bin/mysqld_multi", "usr/bin/mysqlshow", "usr/bin/mysqlslap",
		"usr/bin/mysql_config_editor", "usr/bin/mysql_secure_installation",
		"usr/share/mysql/mysql-log-rotate",
	},
	Remove: []string{
		"etc/mysql", "etc/logrotate.d",
		// Oracle Linux has neither these nor Perl.
		"var/lib/dpkg", "etc/dpkg", "usr/lib/dpkg", "usr/share/dpkg", "usr/bin/dpkg*", "usr/sbin/dpkg*",
		"usr/bin/update-alternatives", "etc/alternatives/README", "usr/share/debconf", "usr/bin/debconf*",
		"usr/sbin/dpkg-preconfigure", "usr/sbin/dpkg-reconfigure", "usr/bin/deb-systemd-*",
		"usr/bin/perl*", "usr/lib/*/perl*", "usr/share/perl*", "etc/perl",
		"usr/bin/corelist", "usr/bin/cpan*", "usr/bin/enc2xs", "usr/bin/encguess", "usr/bin/h2*", "usr/bin/instmodsh",
		"usr/bin/json_pp", "usr/bin/libnetcfg", "usr/bin/piconv", "usr/bin/pl2pm", "usr/bin/pod*",
		"usr/bin/prove", "usr/bin/ptar*", "usr/bin/shasum", "usr/bin/splain", "usr/bin/streamzip",
		"usr/bin/xsubpp", "usr/bin/zipdetails", "usr/bin/scmp_sys_resolver",
	},
	Only: map[string][]string{
		"usr/lib/mysql/plugin": {
			"adt_null.so", "auth_socket.so", "authentication_kerberos_client.so",
			"authentication_ldap_sasl_client.so", "authentication_oci_client.so",
			"authentication_openid_connect_client.so", "authentication_webauthn_client.so",
			"component_audit_api_message_emit.so", "component_connection_control.so",
			"component_keyring_file.so", "component_log_filter_dragnet.so",
			"component_log_sink_json.so", "component_log_sink_syseventlog.so",
			"component_mysqlbackup.so", "component_query_attributes.so",
			"component_reference_cache.so", "component_validate_password.so",
			"connection_control.so", "ddl_rewriter.so", "group_replication.so", "keyring_udf.so",
			"libpluginmecab.so", "locking_service.so", "mypluglib.so", "mysql_clone.so",
			"mysql_native_password.so", "mysql_no_login.so", "rewriter.so",
			"semisync_master.so", "semisync_replica.so", "semisync_slave.so", "semisync_source.so",
			"validate_password.so",
		},
	},
	Add: []addition{
		{Path: "docker-entrypoint-initdb.d", Mode: 0o755},
		{Path: "usr/local/bin/docker-entrypoint.sh", Mode: 0o755, Content: mysqlEntrypoint},
		{Path: "etc/my.cnf", Mode: 0o644, Content: mysqlConfig},
		{Path: "etc/my.cnf.d", Mode: 0o755},
		{Path: "etc/mysql/conf.d", Mode: 0o755},
		{Path: "var/lib/mysql", Mode: 0o1777, UID: 999, GID: 999},
		{Path: "var/lib/mysql-files", Mode: 0o750, UID: 999, GID: 999},
		{Path: "var/lib/mysql-keyring", Mode: 0o750, UID: 999, GID: 999},
		{Path: "run/mysqld", Mode: 0o1777, UID: 999, GID: 999},
		// Where the official packages have them.
		{Path: "usr/lib64/mysql", Link: "../lib/mysql"},
		{Path: "usr/share/mysql-9.7", Link: "mysql"},
	},
	Config: archive.Config{
		Env: []string{
			"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
			"MYSQL_MAJOR=9.7",
			"MYSQL_VERSION={version}",
		},
		Entrypoint:   []string{"docker-entrypoint.sh"},
		Cmd:          []string{"mysqld"},
		ExposedPorts: map[string]struct{}{"3306/tcp": {}, "33060/tcp": {}},
		Volumes:      map[string]struct{}{"/var/lib/mysql": {}},
	},
}}

// The settings of the official image: Oracle's my.cnf with the socket moved.
const mysqlConfig = `[mysqld]
host-cache-size=0
skip-name-resolve
datadir=/var/lib/mysql
socket=/var/run/mysqld/mysqld.sock
secure-file-priv=/var/lib/mysql-files
user=mysql
pid-file=/var/run/mysqld/mysqld.pid

[client]
socket=/var/run/mysqld/mysqld.sock

!includedir /etc/mysql/conf.d/
`

// It starts the server with one line, initialising an empty data directory with
// the password of $MYSQL_ROOT_PASSWORD, and runs any other command as it is.
const mysqlEntrypoint = `#!/bin/sh
set -eu
case "${1:-}" in -*) set -- mysqld "$@" ;; esac
if [ "${1:-}" = mysqld ]; then
	data="$("$@" --verbose --help 2>/dev/null | sed -n 's/^datadir[[:space:]]*//p')"
	if [ "$(id -u)" = 0 ]; then
		mkdir -p "$data"
		chown -R mysql:mysql "$data"
		exec setpriv --reuid=mysql --regid=mysql --init-groups "$0" "$@"
	fi
	if [ ! -d "$data/mysql" ]; then
		if [ -z "${MYSQL_ROOT_PASSWORD:-}" ] && [ -z "${MYSQL_ALLOW_EMPTY_PASSWORD:-}" ]; then
			echo >&2 "set MYSQL_ROOT_PASSWORD, or MYSQL_ALLOW_EMPTY_PASSWORD=1 for an open server"
			exit 1
		fi
		first="$(mktemp)"
		quoted="$(printf '%s' "${MYSQL_ROOT_PASSWORD:-}" | sed "s/['\\\\]/\\\\&/g")"
		printf "CREATE USER 'root'@'%%' IDENTIFIED BY '%s';\nGRANT ALL ON *.* TO 'root'@'%%' WITH GRANT OPTION;\nALTER USER 'root'@'localhost' IDENTIFIED BY '%s';\n" "$quoted" "$quoted" >"$first"
		"$@" --initialize-insecure --init-file="$first"
		rm "$first"
	fi
fi
exec "$@"
`
