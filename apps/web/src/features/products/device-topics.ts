/** One topic or address of the device protocol that this version takes; `label` is a key of the texts. */
export interface DeviceTopic {
  /** Behind the prefix `things/{productKey}/{deviceNo}/`. */
  topic: string
  direction: 'up' | 'down'
  label: string
  payload: string
}

/** MQTT topics under a device's prefix (docs: device protocol). Those of later areas come with them. */
export const DEVICE_TOPICS: readonly DeviceTopic[] = [
  { topic: 'property/post', direction: 'up', label: 'propertyPost', payload: '{"temperature": 21.5}' },
  { topic: 'event/{identifier}/post', direction: 'up', label: 'eventPost', payload: '{"params": {…}}' },
  { topic: 'property/set', direction: 'down', label: 'propertySet', payload: '{"id": "…", "params": {…}}' },
  { topic: 'property/set_reply', direction: 'up', label: 'propertySetReply', payload: '{"id": "…", "code": 0}' },
  {
    topic: 'service/{identifier}/invoke',
    direction: 'down',
    label: 'serviceInvoke',
    payload: '{"id": "…", "params": {…}}',
  },
  {
    topic: 'service/{identifier}/invoke_reply',
    direction: 'up',
    label: 'serviceReply',
    payload: '{"id": "…", "code": 0, "data": {…}}',
  },
  { topic: 'shadow/get', direction: 'up', label: 'shadowGet', payload: '{}' },
  {
    topic: 'shadow/get_reply',
    direction: 'down',
    label: 'shadowReply',
    payload: '{"reported": {…}, "desired": {…}, "version": 3}',
  },
  { topic: 'ntp/request', direction: 'up', label: 'ntpRequest', payload: '{"t0": 1767225600000}' },
  { topic: 'ntp/response', direction: 'down', label: 'ntpResponse', payload: '{"t0": …, "t1": …, "t2": …}' },
]

export const HTTP_PATHS: readonly { method: 'POST' | 'GET'; path: string; label: string }[] = [
  { method: 'POST', path: 'property', label: 'httpProperty' },
  { method: 'POST', path: 'event/{identifier}', label: 'httpEvent' },
]
