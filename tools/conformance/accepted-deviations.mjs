/** Sequences of outside suites in which this server does otherwise on purpose; docs/mqtt-conformance.md says why. */
export const WIRE_DEVIATIONS = [
  {
    name: /^v5\.0 +PUBLISH: 31 retain 1( zero length)?$/,
    clause: 'MQTT 5.0 §3.2.2.3.5, [MQTT-3.2.2-14]',
    why: 'retained messages are announced as not available',
  },
  {
    name: /^v5\.0 +OTHER: subpub retain as (normal|publish) qos\d$/,
    clause: 'MQTT 5.0 §3.2.2.3.5, [MQTT-3.2.2-14]',
    why: 'retained messages are announced as not available',
  },
  {
    name: /^v5\.0 +SUBSCRIBE: 82 \$share ok$/,
    clause: 'MQTT 5.0 §3.2.2.3.13',
    why: 'shared subscriptions are announced as not available',
  },
  {
    name: /^v5\.0 +PUBLISH: PUBLISH with \$ topic - connection\/state$/,
    clause: 'none: a name of Mosquitto\u2019s own bridges',
    why: 'nobody publishes to names that begin with $ (§4.7.2)',
  },
  {
    name: /PUBLISH: 34 QoS 2 Dup flow\*3$/,
    clause: '[MQTT-4.3.3-2] in 3.1.1, [MQTT-4.3.3-10] in 5.0',
    why: 'until PUBREL comes, every repetition of a QoS 2 publish is answered with PUBREC, not the first two only',
  },
]

/** Tests of the Paho suites for what CONNACK announces as not available. */
export const PAHO_NOT_OWED = {
  3: { test_retained_messages: 'retained messages are not offered' },
  5: {
    test_retained_message: 'retained messages are announced as not available',
    test_subscribe_options: 'its second half needs retained messages',
    test_shared_subscriptions: 'shared subscriptions are announced as not available',
  },
}
