# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Models of tf_keras in graph mode: initialised and trained by the graph itself, with control flow of both versions."""
import contextlib
from graphcase import *
import tf_keras         # of pip's tf_keras; TensorFlow's own keras is another, which needs eager execution
K, L = tf_keras.backend, tf_keras.layers
tf_keras.utils.disable_interactive_logging()
N_STEPS = 20


@contextlib.contextmanager
def keras_graph(p, v2):
    """Keras' names begin anew, so that a program does not depend on those before it."""
    (tf1.enable_control_flow_v2 if v2 else tf1.disable_control_flow_v2)()
    tf1.enable_resource_variables(); K.reset_uids()
    tf_keras.utils.set_random_seed(p.gseed % 2 ** 31); tf1.set_random_seed(p.gseed)
    try: yield
    finally: tf1.disable_control_flow_v2(); tf1.disable_resource_variables()


def minimise(loss, variables, opt):
    """An optimizer of tf.compat.v1, or one of tf_keras, old or new."""
    if isinstance(opt, tf1.train.Optimizer): return opt.minimize(loss, var_list=variables, name='train')
    if isinstance(opt, tf_keras.optimizers.legacy.Optimizer): return tf1.group(*opt.get_updates(loss, variables), name='train')
    opt.build(variables)
    return tf1.group(opt.apply_gradients(zip(tf1.gradients(loss, variables), variables)), name='train')


def drive(p, loss, train, feeds, fetches=(), updates=()):
    """Initialise, then N_STEPS of training; `feeds` gives one step's."""
    with tf1.control_dependencies(list(updates)): step = tf1.group(train, name='step')
    init = tf1.variables_initializer(tf1.global_variables(), name='init')
    k = p.case('train')
    k.step(targets=[init])
    for i in range(N_STEPS): k.step(feeds(i), [loss] + list(fetches), [step], rtol=1e-4, atol=1e-6)
    with tf1.Graph().as_default() as g:                 # the shapes that the GraphDef itself tells: Keras sets many by hand
        tf1.import_graph_def(p.graph.as_graph_def(), name='')
        p.body = g.as_graph_def(add_shapes=True)


def optimizer_named(name, lr=None):
    t = tf1.train
    if name.startswith('v1.'):
        return {'adam': lambda: t.AdamOptimizer(lr or 1e-2), 'sgd': lambda: t.GradientDescentOptimizer(lr or .1), 'momentum': lambda: t.MomentumOptimizer(lr or .05, .9)}[name[3:]]()
    where = tf_keras.optimizers.legacy if name.startswith('legacy.') else tf_keras.optimizers
    return getattr(where, name.split('.')[-1])(learning_rate=lr or {'SGD': .1, 'Adadelta': 1., 'Ftrl': .1, 'Adagrad': .1, 'Lion': 1e-3}.get(name.split('.')[-1], 1e-2))


def pictures(p, n):
    """Pictures of ten kinds with noise, and their kinds."""
    y = p.data.randint(0, 10, n).astype(np.int32)
    base = np.random.RandomState(7).rand(10, 8, 8, 1)
    return (np.clip(base[y] + .3 * p.data.randn(n, 8, 8, 1), 0, 1) * 8).round().astype(np.float32) / 8, y


def digit_inputs():
    return tf1.placeholder(tf.float32, [None, 8, 8, 1], name='x'), tf1.placeholder(tf.int32, [None], name='y')


def digit_feeds(p, x, y, size=8, **more):
    def feeds(i):
        a, b = pictures(p, size)
        return {x: a, y: b, **{k: v(i) for k, v in more.get('more', {}).items()}}
    return feeds


def classify(logits, y):
    return tf1.reduce_mean(tf_keras.losses.sparse_categorical_crossentropy(y, logits, from_logits=True), name='loss')


@program('keras', ('keras_mlp', dict(opt='v1.adam')), *[('keras_opt_' + n.replace('.', '_').lower(), dict(opt=n, small=True)) for n in (
    'legacy.SGD legacy.Adam legacy.RMSprop legacy.Adagrad legacy.Adadelta legacy.Adamax legacy.Nadam legacy.Ftrl '
    'Adam AdamW Adafactor Lion Adamax Ftrl Adagrad Adadelta RMSprop SGD').split()])
def mlp(p, opt, small=False):
    """Dense layers with dropout and an L2 penalty, a tensor `training`"""
    with keras_graph(p, v2=True):
        x, y = digit_inputs(); t = tf1.placeholder_with_default(True, [], name='training')
        m = tf_keras.Sequential([L.Flatten(), L.Dense(8 if small else 32, 'relu', kernel_regularizer=tf_keras.regularizers.l2(1e-3))] +
                                ([] if small else [L.Dropout(.3), L.Dense(16, 'elu'), L.GaussianNoise(.1)]) + [L.Dense(10)])
        loss = classify(m(x, training=t), y) + tf1.add_n(m.losses)
        drive(p, loss, minimise(loss, m.trainable_variables, optimizer_named(opt)), digit_feeds(p, x, y, more={t: lambda i: i % 4 != 3}))


@program('keras', ('keras_cnn', dict(v2=True)), ('keras_cnn_v1', dict(v2=False)))
def cnn(p, v2):
    """Convolutions with batch normalisation, a tensor `training`: its moving averages move in a branch"""
    with keras_graph(p, v2):
        x, y = digit_inputs(); t = tf1.placeholder_with_default(True, [], name='training')
        m = tf_keras.Sequential([L.Conv2D(6, 3, padding='same'), L.BatchNormalization(), L.ReLU(), L.MaxPooling2D(), L.SpatialDropout2D(.1), L.Conv2D(8, 3), L.BatchNormalization(momentum=.9),
                                 L.LeakyReLU(), L.GlobalAveragePooling2D(), L.Dense(10)])
        loss = classify(m(x, training=t), y)
        drive(p, loss, minimise(loss, m.trainable_variables, optimizer_named('v1.momentum')), digit_feeds(p, x, y, more={t: lambda i: i % 4 != 3}), updates=m.get_updates_for(None) + m.get_updates_for(x))


@program('keras', ('keras_rnn', dict(v2=True)), ('keras_rnn_v1', dict(v2=False)))
def rnn(p, v2):
    """An LSTM that gives sequences, a bidirectional GRU behind it, a mask"""
    with keras_graph(p, v2):
        ids = tf1.placeholder(tf.int32, [None, 7], name='ids'); y = tf1.placeholder(tf.float32, [None], name='y')
        m = tf_keras.Sequential([L.Embedding(20, 6, mask_zero=True), L.LSTM(5, return_sequences=True, recurrent_dropout=.1), L.Bidirectional(L.GRU(4)), L.Dense(1)])
        loss = tf1.reduce_mean(tf_keras.losses.binary_crossentropy(y[:, None], m(ids, training=True), from_logits=True))
        data = lambda i: {ids: p.data.randint(0, 20, [6, 7]).astype(np.int32), y: p.data.randint(0, 2, [6]).astype(np.float32)}
        drive(p, loss, minimise(loss, m.trainable_variables, optimizer_named('legacy.Adam')), data)


def encoder_block(h, heads, size, training, mask=None, causal=False):
    a = L.MultiHeadAttention(heads, size, dropout=.1)(h, h, attention_mask=mask, use_causal_mask=causal, training=training)
    h = L.LayerNormalization()(h + a)
    f = L.Dense(size)(L.Dense(2 * size, 'gelu')(h))
    return L.LayerNormalization()(h + L.Dropout(.1)(f, training=training))


@program('keras', ('keras_transformer', dict(v2=True)))
def transformer(p, v2):
    """An encoder: embeddings of words and places, multi-head attention, layer normalisation"""
    with keras_graph(p, v2):
        ids = tf1.placeholder(tf.int32, [None, 6], name='ids'); y = tf1.placeholder(tf.int32, [None], name='y'); t = tf1.placeholder_with_default(True, [], name='training')
        i = tf_keras.Input([6], dtype='int32')
        h = L.Embedding(20, 8)(i) + L.Embedding(6, 8)(tf.range(6))
        m = tf_keras.Model(i, L.Dense(3)(L.GlobalAveragePooling1D()(encoder_block(encoder_block(h, 2, 8, None), 2, 8, None, causal=True))))
        loss = classify(m(ids, training=t), y)
        data = lambda i: {ids: p.data.randint(0, 20, [6, 6]).astype(np.int32), y: p.data.randint(0, 3, [6]).astype(np.int32), t: i % 4 != 3}
        drive(p, loss, minimise(loss, m.trainable_variables, optimizer_named('legacy.Adam')), data)


@program('keras', 'keras_vae')
def vae(p):
    """Encoder, a normal sample by the reparameterisation, decoder; binary cross-entropy and Kullback-Leibler divergence"""
    with keras_graph(p, True):
        x, y = digit_inputs()
        h = L.Dense(16, 'relu')(L.Flatten()(x)); mean, log_var = L.Dense(3)(h), L.Dense(3)(h)
        z = mean + tf.exp(.5 * log_var) * K.random_normal(tf.shape(mean))
        dec = tf_keras.Sequential([L.Dense(16, 'tanh'), L.Dense(64, 'sigmoid')])
        out = dec(z)
        rec = tf1.reduce_mean(tf1.reduce_sum(K.binary_crossentropy(tf1.reshape(x, [-1, 64]), out), 1))
        loss = rec - .5 * tf1.reduce_mean(tf1.reduce_sum(1 + log_var - tf.square(mean) - tf.exp(log_var), 1))
        vs = tf1.trainable_variables()
        drive(p, loss, minimise(loss, vs, optimizer_named('v1.adam')), digit_feeds(p, x, y))


@program('keras', ('keras_gru_stack', dict(v2=True)), ('keras_gru_stack_v1', dict(v2=False)))
def gru_stack(p, v2):
    """Three GRUs, one with reset_after off, one stateful-free simple RNN, layer by layer"""
    with keras_graph(p, v2):
        x = tf1.placeholder(tf.float32, [None, 5, 3], name='x'); y = tf1.placeholder(tf.float32, [None, 5, 1], name='y')
        m = tf_keras.Sequential([L.GRU(4, return_sequences=True), L.GRU(4, return_sequences=True, reset_after=False), L.SimpleRNN(3, return_sequences=True, go_backwards=True), L.TimeDistributed(L.Dense(1))])
        loss = tf1.reduce_mean(tf_keras.losses.huber(y, m(x, training=True)))
        r = lambda *s: p.data.randn(*s).astype(np.float32)
        drive(p, loss, minimise(loss, m.trainable_variables, optimizer_named('legacy.RMSprop')), lambda i: {x: r(4, 5, 3), y: r(4, 5, 1)})


@program('keras', 'keras_sepconv_resnet')
def sepconv_resnet(p):
    """Separable and depthwise convolutions with residuals, group normalisation, squeeze and excitation, upsampling and a transposed convolution"""
    with keras_graph(p, True):
        x, y = digit_inputs(); t = tf1.placeholder_with_default(True, [], name='training')
        i = tf_keras.Input([8, 8, 1]); h = L.Conv2D(6, 3, padding='same')(i)
        for _ in range(2):
            a = L.SeparableConv2D(6, 3, padding='same', depth_multiplier=2)(L.Activation('swish')(L.BatchNormalization()(h)))
            a = L.DepthwiseConv2D(3, padding='same')(L.GroupNormalization(groups=3)(a))
            s = L.Dense(6, 'sigmoid')(L.Dense(3, 'relu')(L.GlobalAveragePooling2D()(a)))
            h = L.Add()([h, L.Multiply()([a, L.Reshape([1, 1, 6])(s)])])
        h = L.Conv2DTranspose(4, 3, strides=2, padding='same')(L.AveragePooling2D()(h)); h = L.UpSampling2D()(L.Conv2D(3, 3, strides=2, dilation_rate=1)(L.ZeroPadding2D()(h)))
        m = tf_keras.Model(i, L.Dense(10)(L.Flatten()(L.Cropping2D(1)(L.PReLU()(h)))))
        loss = classify(m(x, training=t), y)
        drive(p, loss, minimise(loss, m.trainable_variables, optimizer_named('legacy.SGD')), digit_feeds(p, x, y, more={t: lambda i: i % 4 != 3}), updates=m.get_updates_for(None) + m.get_updates_for(x))


@program('keras', ('keras_seq2seq', dict(v2=True)), ('keras_seq2seq_v1', dict(v2=False)))
def seq2seq(p, v2):
    """Encoder and decoder with additive attention, states handed over, teacher forcing"""
    with keras_graph(p, v2):
        src = tf1.placeholder(tf.int32, [None, 6], name='src'); dst = tf1.placeholder(tf.int32, [None, 5], name='dst')
        e, h, c = L.LSTM(6, return_sequences=True, return_state=True)(L.Embedding(12, 4, mask_zero=True)(src))
        d = L.LSTM(6, return_sequences=True)(L.Embedding(12, 4)(dst[:, :-1]), initial_state=[h, c])
        a = L.AdditiveAttention()([d, e]); q = L.Attention()([d, e])
        logits = L.Dense(12)(L.Concatenate()([d, a, q]))
        loss = tf1.reduce_mean(tf_keras.losses.sparse_categorical_crossentropy(dst[:, 1:], logits, from_logits=True))
        r = lambda n: p.data.randint(0, 12, [4, n]).astype(np.int32)
        drive(p, loss, minimise(loss, tf1.trainable_variables(), optimizer_named('legacy.Nadam')), lambda i: {src: r(6), dst: r(5)})


@program('keras', 'keras_text_conv')
def text_conv(p):
    """1-D convolutions over words: causal, strided, dilated; masking, pooling, class weights"""
    with keras_graph(p, True):
        ids = tf1.placeholder(tf.int32, [None, 12], name='ids'); y = tf1.placeholder(tf.int32, [None], name='y')
        i = tf_keras.Input([12], dtype='int32'); h = L.SpatialDropout1D(.2)(L.Embedding(20, 6, mask_zero=True)(i))
        a = L.GlobalMaxPooling1D()(L.Conv1D(5, 3, padding='causal', activation='relu')(h)); b = L.GlobalAveragePooling1D()(L.Conv1D(4, 2, dilation_rate=2, activation='tanh')(h))
        c = L.Flatten()(L.MaxPooling1D(2)(L.LocallyConnected1D(2, 3, strides=2)(h)))
        m = tf_keras.Model(i, L.Dense(3, activation='softmax')(L.Dropout(.2)(L.Concatenate()([a, b, c]))))
        w = tf1.gather(tf1.constant([1., 2., .5]), y)
        loss = tf1.reduce_mean(w * tf_keras.losses.sparse_categorical_crossentropy(y, m(ids, training=True)))
        drive(p, loss, minimise(loss, m.trainable_variables, optimizer_named('legacy.Adagrad')), lambda i: {ids: p.data.randint(0, 20, [6, 12]).astype(np.int32), y: p.data.randint(0, 3, [6]).astype(np.int32)})


@program('keras', 'keras_gan')
def gan(p):
    """Two models and two optimizers that take turns in one step"""
    with keras_graph(p, True):
        x, y = digit_inputs()
        g = tf_keras.Sequential([L.Dense(16, input_shape=[4]), L.BatchNormalization(), L.LeakyReLU(), L.Dense(64, 'sigmoid'), L.Reshape([8, 8, 1])])
        d = tf_keras.Sequential([L.Conv2D(4, 3, strides=2, input_shape=[8, 8, 1]), L.LeakyReLU(), L.Dropout(.2), L.Flatten(), L.Dense(1)])
        fake = g(tf1.random_normal([8, 4], seed=5), training=True)
        bce = lambda l, v: tf1.reduce_mean(tf_keras.losses.binary_crossentropy(tf1.fill(tf1.shape(l), v), l, from_logits=True))
        real_out, fake_out = d(x, training=True), d(fake, training=True)
        ld, lg = bce(real_out, .9) + bce(fake_out, 0.), bce(fake_out, 1.)
        td = minimise(ld, d.trainable_variables, optimizer_named('legacy.Adam'))
        with tf1.control_dependencies([td]): tg = minimise(lg, g.trainable_variables, optimizer_named('legacy.Adam'))
        drive(p, ld, tf1.group(td, tg), digit_feeds(p, x, y, 8), [lg])
