# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""gen_checkpoints.py --out DIR: the same variables as V2 bundle, V1 checkpoint, sharded bundle, safetensors, and slices.

Needs TensorFlow 2.15 and safetensors. expected.json of each directory: per tensor dtype, shape, bytes, sha256 of the
little-endian row-major bytes (of strings: sha256 of each).
"""
import argparse, hashlib, json, os, shutil
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
import numpy as np
import tensorflow as tf
from safetensors.numpy import save_file
tf1 = tf.compat.v1
tf1.disable_v2_behavior(); tf1.disable_resource_variables(); tf1.logging.set_verbosity(tf1.logging.ERROR)
sha = lambda b: hashlib.sha256(b).hexdigest()


def values():
    r = np.random.RandomState(42)
    return {'conv1/weights': r.randn(5, 5, 1, 6).astype('f4'), 'conv1/biases': np.zeros(6, 'f4'), 'fc/weights': r.randn(24, 10).astype('f4'), 'fc/weights/Adam': (r.randn(24, 10) * 1e-3).astype('f4'), 'fc/weights/Adam_1': (r.rand(24, 10) * 1e-6).astype('f4'),
            'fc/biases': r.randn(10).astype('f4'), 'beta1_power': np.float32(.9 ** 7), 'global_step': np.int64(20000), 'double': r.randn(3, 4), 'int32': r.randint(-2**31, 2**31 - 1, (7,)).astype('i4'), 'uint8': r.randint(0, 256, (4, 5)).astype('u1'),
            'int16': np.int16([-32768, 0, 32767]), 'int8': np.int8([-128, 127]), 'bool': np.array([[True, False], [False, True]]), 'half': r.randn(6).astype('f2'), 'special': np.float32([np.nan, np.inf, -np.inf, -0., 1e-45]), 'empty': np.zeros((0, 3), 'f4'),
            'rank5': np.arange(48, dtype='f4').reshape(2, 1, 3, 2, 4), 'name with blank/\u00e9t\u00e9:x': np.float32([1, 2])}


def entry(v):
    v = np.asarray(v)
    if v.dtype.kind in 'OS': return {'dtype': 'string', 'shape': list(v.shape), 'elements_sha256': [sha(x if isinstance(x, bytes) else x.encode()) for x in v.ravel()]}
    name = 'bfloat16' if v.dtype == tf.bfloat16.as_numpy_dtype else str(v.dtype)
    b = np.ascontiguousarray(v).tobytes()
    return {'dtype': name, 'shape': list(v.shape), 'bytes': len(b), 'sha256': sha(b)}


def expect(d, vals, **more):
    o = dict(more, tensors={k: entry(v) for k, v in sorted(vals.items())}, files={f: os.path.getsize(os.path.join(d, f)) for f in sorted(os.listdir(d)) if f != 'expected.json'})
    open(os.path.join(d, 'expected.json'), 'w').write(json.dumps(o, indent=1, sort_keys=True) + '\n')


def save(d, vals, step=20000, **kw):
    os.makedirs(d)
    with tf1.Graph().as_default(), tf1.Session() as s:
        vs = {}
        for k, v in vals.items():
            v = np.asarray(v); n = k if k.replace('/', '').replace('_', '').isalnum() else 'odd'
            vs[k] = tf1.Variable(tf1.constant(v.astype(object) if v.dtype.kind == 'S' else v), name=n)
        s.run(tf1.global_variables_initializer())
        tf1.train.Saver(vs, **kw).save(s, os.path.join(d, 'model.ckpt'), global_step=step)


if __name__ == '__main__':
    a = argparse.ArgumentParser(); a.add_argument('--out'); a = a.parse_args()
    shutil.rmtree(a.out, ignore_errors=True); os.makedirs(a.out); os.chdir(a.out)
    v = values(); more = dict(v, strings=np.array([b'alpha', b'', b'\x00\xff binary', 'gr\u00fc\u00df'.encode()]), complex=np.complex64([1 + 2j, -3j]), bf16=tf.constant([1.5, -2.25, 3e38]).numpy().astype(tf.bfloat16.as_numpy_dtype) if tf.executing_eagerly() else np.array([1.5, -2.25, 3e38]).astype(tf.bfloat16.as_numpy_dtype))
    save('v2', more); expect('v2', more, format='tensor bundle (V2)', prefix='model.ckpt-20000', step=20000)
    os.makedirs('v2_sharded')                        # a saver with two devices makes two shards
    with tf1.Graph().as_default(), tf1.Session(config=tf1.ConfigProto(device_count={'CPU': 2})) as s:
        vs = {}
        for i, (k, x) in enumerate(v.items()):
            with tf1.device('/job:localhost/replica:0/task:0/device:CPU:%d' % (i % 2)): vs[k] = tf1.Variable(tf1.constant(x), name='v%d' % i)
        s.run(tf1.global_variables_initializer()); tf1.train.Saver(vs, sharded=True).save(s, 'v2_sharded/model.ckpt', global_step=7)
    expect('v2_sharded', v, format='tensor bundle (V2), two shards', prefix='model.ckpt-7', step=7)
    one = {k: x for k, x in v.items() if np.asarray(x).dtype not in (np.dtype('f2'),)}
    save('v1', one, write_version=tf1.train.SaverDef.V1); expect('v1', one, format='V1 checkpoint (SavedTensorSlices table)', prefix='model.ckpt-20000', step=20000)
    os.makedirs('safetensors'); save_file({k: np.ascontiguousarray(x) if np.asarray(x).ndim else np.asarray(x) for k, x in v.items()}, 'safetensors/model.safetensors', metadata={'global_step': '20000', 'format': 'np'}); expect('safetensors', v, format='safetensors', metadata={'global_step': '20000', 'format': 'np'})
    # one variable in parts: the checkpoint holds the whole tensor's name with slices
    for d, ver in (('partitioned_v2', 2), ('partitioned_v1', 1)):
        os.makedirs(d); r = np.random.RandomState(3); full = {'embedding': r.randn(11, 4).astype('f4'), 'columns': r.randn(3, 8).astype('f4'), 'whole': r.randn(2, 2).astype('f4')}
        with tf1.Graph().as_default(), tf1.Session() as s:
            e = tf1.get_variable('embedding', [11, 4], initializer=tf1.zeros_initializer(), partitioner=tf1.fixed_size_partitioner(3)); c = tf1.get_variable('columns', [3, 8], initializer=tf1.zeros_initializer(), partitioner=tf1.fixed_size_partitioner(2, axis=1)); w = tf1.get_variable('whole', [2, 2])
            at = {}
            for p in list(e) + list(c):
                i = p._get_save_slice_info(); k = i.full_name; o = i.var_offset; n = i.var_shape
                s.run(tf1.assign(p, full[k][o[0]:o[0] + n[0], o[1]:o[1] + n[1]])); at.setdefault(k, []).append(i.spec)
            s.run(tf1.assign(w, full['whole'])); tf1.train.Saver(write_version=ver).save(s, d + '/model.ckpt', global_step=3)
        expect(d, full, format='V%d, partitioned variables' % ver, prefix='model.ckpt-3', slices=at)
    os.makedirs('object_based')
    tf1.reset_default_graph()
    with tf1.Graph().as_default(), tf1.Session() as s:
        m = tf.Module(); m.w = tf.Variable(np.float32([[1, 2], [3, 4]]), name='w'); m.layers = [tf.Module(), tf.Module()]
        for i, l in enumerate(m.layers): l.b = tf.Variable(np.float32([i, i + .5]), name='b')
        ck = tf1.train.Checkpoint(model=m, step=tf.Variable(5, dtype=tf.int64)); s.run(tf1.global_variables_initializer()); ck.save('object_based/ckpt', session=s)
    rd = tf1.train.NewCheckpointReader('object_based/ckpt-1'); vals = {k: rd.get_tensor(k) for k in rd.get_variable_to_shape_map() if k != '_CHECKPOINTABLE_OBJECT_GRAPH'}
    expect('object_based', {k: np.array([x], dtype=object).reshape(()) if isinstance(x, bytes) else x for k, x in vals.items()}, format='TF 2 object-based checkpoint (bundle with _CHECKPOINTABLE_OBJECT_GRAPH)', prefix='ckpt-1')
    # damage
    for n, f, ch, must in (('truncated_index', 'model.ckpt-20000.index', lambda b: b[:len(b) // 2], 'DATA_LOSS'), ('bad_index_magic', 'model.ckpt-20000.index', lambda b: b[:-1] + b'\0', 'DATA_LOSS'), ('bad_index_block', 'model.ckpt-20000.index', lambda b: b[:40] + bytes([b[40] ^ 1]) + b[41:], 'DATA_LOSS'),
                           ('bad_data', 'model.ckpt-20000.data-00000-of-00001', lambda b: b[:100] + bytes([b[100] ^ 1]) + b[101:], 'DATA_LOSS'), ('truncated_data', 'model.ckpt-20000.data-00000-of-00001', lambda b: b[:600], 'OUT_OF_RANGE'), ('missing_data', 'model.ckpt-20000.data-00000-of-00001', None, 'NOT_FOUND')):
        d = 'damaged/' + n; os.makedirs(d)
        for g in os.listdir('v2'):
            if g.endswith('.index') or '.data-' in g:
                b = open('v2/' + g, 'rb').read()
                if g == f:
                    if ch is None: continue
                    b = ch(b)
                open(d + '/' + g, 'wb').write(b)
        res = {}
        try:
            rd = tf1.train.NewCheckpointReader(d + '/model.ckpt-20000')
            for k in sorted(rd.get_variable_to_shape_map()):
                try: rd.get_tensor(k); res[k] = 'OK'
                except Exception as e: res[k] = type(e).__name__
            says = {'opens': True, 'tensors': res}
        except Exception as e: says = {'opens': False, 'error': type(e).__name__}
        open(d + '/expected.json', 'w').write(json.dumps({'tensorflow': says}, indent=1, sort_keys=True) + '\n')
        print(d, says if 'error' in says else {x: list(res.values()).count(x) for x in set(res.values())})
    for r_, _, fs in os.walk('.'):
        for f in fs:
            b = open(os.path.join(r_, f), 'rb').read()
            assert b'/tmp' not in b, (r_, f)
    rows = ['%s\t%d\t%d\t%s' % (d, len(os.listdir(d)), sum(os.path.getsize(os.path.join(d, f)) for f in os.listdir(d)), json.load(open(d + '/expected.json')).get('format', 'damaged copy of v2')) for d in sorted([x for x in os.listdir('.') if os.path.isdir(x) and x != 'damaged'] + ['damaged/' + x for x in os.listdir('damaged')])]
    open('INDEX.tsv', 'w').write('directory\tfiles\tbytes\twhat\n' + '\n'.join(rows) + '\n'); print('\n'.join(rows))
