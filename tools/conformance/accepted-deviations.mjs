/** Sequences of outside suites in which this server does otherwise on purpose; docs/mqtt-conformance.md says why. */
export const WIRE_DEVIATIONS = [
  {
    name: /^v5\.0 +PUBLISH: 31 retain 1( zero length)?$/,
    clause: 'MQTT 5.0 §3.2.2.3.5, [MQTT-3.2.2-14]',
    why: 'retained messages are announced as not available',
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
