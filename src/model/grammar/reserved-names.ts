import packageNames from './package-names.json' with { type: 'json' }

// Names that no new account may have. A Debian package that is installed later creates a user or
// group of its own name, or takes an existing one: a customer's account of that name would be in
// the group that grants root, own the service's files, or block the installation. An account's user
// has a group of the same name, so groups count as much as users.

/**
 * Names by the reason why they are reserved, maintained by hand;
 * src/model/grammar/package-names.json lists Debian's.
 */
const byHand: Record<string, string> = {
  'groups whose members are root, or become it at once': `
    root sudo wheel admin adm disk shadow staff kmem docker podman containerd lxd incus incus-admin
    libvirt libvirtd libvirt-qemu libvirt-dnsmasq kvm microk8s vboxusers vboxsf wireshark utmp tty
    google-sudoers sgx render input video plugdev netdev dialout systemd-journal`,
  'users and groups of Debian itself, and of what the panel installs': `
    daemon bin sys sync games man lp mail news uucp proxy www-data backup list irc gnats nobody
    nogroup systemd-network systemd-resolve systemd-timesync systemd-coredump messagebus sshd
    postgres mysql mariadb redis memcached nginx apache httpd php-fpm dovecot postfix exim
    debian-exim opendkim clamav bind named unbound dnsmasq ftp ftpuser vsftpd proftpd users fax
    voice cdrom floppy tape audio dip crontab ssl-cert ssh system operator guest`,
  'the panel’s own, and those that people take for the server’s': `
    panel panel-api panel-worker panel-courier panel-sftp panel-nosftp panel-web panel-adminer
    administrator abuse hostmaster postmaster webmaster security noc api www whm localhost test
    toor default`,
  'first users of images, who may use sudo': `
    ubuntu debian vagrant centos fedora rocky almalinux ec2-user azureuser opc cloud-user pi
    ansible`,
  'large packages of Debian, which release/reserved-names.ts does not fetch': `
    ceph condor docker-registry ejabberd epmd etcd gluster icingadb influxdb kamailio liquidsoap
    miniflux prometheus rabbitmq snapd soju stayrtr victoria-metrics wims yggdrasil zabbix caddy`,
  'packages of other sources: they build, deploy and watch, with rights on the whole machine': `
    jenkins gitlab-runner gitlab git gitea forgejo gogs buildkite-agent teamcity bamboo drone
    act-runner go rundeck salt puppet nomad consul vault teleport tailscale cloudflared
    gitlab-www gitlab-redis gitlab-psql gitlab-prometheus gitlab-consul registry mattermost
    nagios icinga netdata dd-agent newrelic telegraf grafana loki promtail tempo mimir alloy
    alertmanager pushgateway node-exporter node_exporter mysqld_exporter postgres_exporter
    crowdsec fail2ban wazuh wazuh-indexer wazuh-dashboard ossec ossecm ossecr zabbix-agent kube
    kubelet etcd`,
  'packages of other sources: they keep data that is not the customer’s': `
    elasticsearch kibana logstash filebeat metricbeat opensearch opensearch-dashboards graylog
    graylog-server mongodb mongod valkey rabbitmq-server pgbouncer percona proxysql maxscale
    clickhouse cassandra scylla neo4j couchdb couchbase cockroach influx kafka zookeeper solr minio
    minio-user nextcloud seafile`,
  'packages of other sources: they serve the web, mail and calls': `
    lsadm litespeed unit traefik haproxy varnish tomcat jetty wildfly jboss nifi sonar sonarqube
    nexus artifactory jira confluence rspamd amavis opendmarc vmail mailman zimbra asterisk
    freeswitch coturn turnserver matrix-synapse synapse rocketchat plex jellyfin emby openvpn
    openvpn_as wireguard`,
  'other hosting panels': `
    cpanel plesk psaadm psacln psaserv webmin directadmin diradmin ispconfig ispapps vesta hestia
    hestiaweb hestiamail cyberpanel runcloud clp`,
}

/** Names that are, or may become, users or groups of the machine; no new account may have them. */
export const reservedUsernames: ReadonlySet<string> = new Set([
  ...Object.values(byHand).flatMap(names => names.trim().split(/\s+/)),
  ...Object.keys(packageNames),
])
