"""OpenStack Swift with its S3 interface in one process, for the tests: serve.py FOLDER. Prints the port that it answers on."""
import os
import sys

import eventlet
import eventlet.patcher

eventlet.patcher.monkey_patch(all=False, socket=True, select=True, thread=True)
os.environ['TZ'] = 'UTC+0'

from eventlet import wsgi
from swift.common import utils

FOLDER = os.path.abspath(sys.argv[1])
SETTINGS = os.path.join(FOLDER, 'etc')
DEVICES = os.path.join(FOLDER, 'node')
HEAD = f'''[DEFAULT]
swift_dir = {SETTINGS}
devices = {DEVICES}
mount_check = false
fallocate_reserve = 0
# Generous, for a busy machine: what a part is too late for, it would leave to a service that does not run here.
conn_timeout = 10
node_timeout = 60
container_update_timeout = 60
[pipeline:main]
pipeline = '''
# In the order in which a request passes them.
FILTERS = {
    'catch_errors': ('catch_errors', ''),
    'listing_formats': ('listing_formats', ''),
    'bulk': ('bulk', ''),
    's3api': ('s3api', 'location = us-east-1'),
    'tempauth': ('tempauth', 'user_test_tester = testing .admin .reseller_admin'),
    'container_quotas': ('container_quotas', ''),
    'slo': ('slo', ''),
    'dlo': ('dlo', ''),
}


def write(name, text):
    with open(os.path.join(SETTINGS, name), 'w') as file:
        file.write(text)


for folder in (SETTINGS, os.path.join(DEVICES, 'disk')):
    os.makedirs(folder, exist_ok=True)
write('swift.conf', '''[swift-hash]
swift_hash_path_prefix = a
swift_hash_path_suffix = b
[storage-policy:0]
name = only
default = yes
''')
# Before the parts are loaded: they would look into /etc/swift.
utils.set_swift_dir(SETTINGS)
from swift.common.storage_policy import reload_storage_policies

reload_storage_policies()
from swift.common.ring import RingBuilder
from swift.common.wsgi import RestrictedGreenPool, SwiftHttpProtocol, loadapp

listeners = {name: eventlet.listen(('127.0.0.1', 0), backlog=256) for name in ('object', 'container', 'account', 'proxy')}
for name in ('object', 'container', 'account'):
    port = listeners[name].getsockname()[1]
    ring = RingBuilder(1, 1, 0)
    ring.add_dev(dict(
        region=1, zone=1, ip='127.0.0.1', port=port, device='disk', weight=1.0,
        replication_ip='127.0.0.1', replication_port=port, meta=''))
    ring.rebalance()
    ring.get_ring().save(os.path.join(SETTINGS, f'{name}.ring.gz'))
    write(f'{name}.conf', f'{HEAD}{name}-server\n[app:{name}-server]\nuse = egg:swift#{name}\n')
write('proxy.conf', f'{HEAD}{" ".join(FILTERS)} proxy-server\n[app:proxy-server]\nuse = egg:swift#proxy\n'
      'account_autocreate = true\n' + ''.join(
          f'[filter:{name}]\nuse = egg:swift#{egg}\n{more}\n' for name, (egg, more) in FILTERS.items()))


class Tokens:
    """What stands for memcached: keeps who is signed in, and nothing else."""

    def __init__(self):
        self.kept = {}

    def get(self, key, **_more):
        return self.kept.get(key)

    def set(self, key, value, **_more):
        if '/token/' in key or '/user/' in key:
            self.kept[key] = value

    def delete(self, key, **_more):
        self.kept.pop(key, None)

    def incr(self, *_given, **_more):
        return 0


tokens = Tokens()


def serve(name, listener):
    app = loadapp(os.path.join(SETTINGS, f'{name}.conf'), global_conf={'log_name': name})
    wsgi.server(listener, lambda env, start: app({**env, 'swift.cache': tokens}, start), utils.NullLogger(), protocol=SwiftHttpProtocol, capitalize_response_headers=False,
                custom_pool=RestrictedGreenPool(size=1024))


threads = [eventlet.spawn(serve, name, listener) for name, listener in listeners.items()]
print(listeners['proxy'].getsockname()[1], flush=True)
for thread in threads:
    thread.wait()
