/** A topic of another platform's tree: which way, and the text that says what for. */
export interface ForeignTopic {
  topic: string
  direction: 'up' | 'down'
  label: string
}

/** What devices of each dialect may use; `{productKey}` and `{deviceNo}` stand for themselves. */
export const FOREIGN_TOPICS: Readonly<Record<'thingsboard' | 'alibaba', readonly ForeignTopic[]>> = {
  thingsboard: [
    { topic: 'v1/devices/me/telemetry', direction: 'up', label: 'property' },
    { topic: 'v1/devices/me/attributes', direction: 'up', label: 'property' },
    { topic: 'v1/devices/me/attributes', direction: 'down', label: 'wanted' },
    { topic: 'v1/devices/me/attributes/request/{n}', direction: 'up', label: 'askState' },
    { topic: 'v1/devices/me/attributes/response/{n}', direction: 'down', label: 'state' },
    { topic: 'v1/devices/me/rpc/request/{n}', direction: 'down', label: 'service' },
    { topic: 'v1/devices/me/rpc/response/{n}', direction: 'up', label: 'serviceReply' },
    { topic: 'v1/devices/me/rpc/request/{n}', direction: 'up', label: 'clientRpc' },
    { topic: 'v1/gateway/telemetry', direction: 'up', label: 'below' },
    { topic: 'v1/gateway/rpc', direction: 'down', label: 'serviceBelow' },
    { topic: 'POST /api/v1/{token}/telemetry', direction: 'up', label: 'http' },
  ],
  alibaba: [
    { topic: '/sys/{productKey}/{deviceNo}/thing/event/property/post', direction: 'up', label: 'property' },
    { topic: '/sys/{productKey}/{deviceNo}/thing/event/property/post_reply', direction: 'down', label: 'taken' },
    { topic: '/sys/{productKey}/{deviceNo}/thing/event/{identifier}/post', direction: 'up', label: 'event' },
    { topic: '/sys/{productKey}/{deviceNo}/thing/service/property/set', direction: 'down', label: 'wanted' },
    { topic: '/sys/{productKey}/{deviceNo}/thing/service/{identifier}', direction: 'down', label: 'service' },
    { topic: '/sys/{productKey}/{deviceNo}/thing/service/{identifier}_reply', direction: 'up', label: 'serviceReply' },
    { topic: '/sys/{productKey}/{deviceNo}/thing/model/up_raw', direction: 'up', label: 'raw' },
    { topic: '/sys/{productKey}/{deviceNo}/thing/model/down_raw', direction: 'down', label: 'raw' },
    { topic: '/ext/ntp/{productKey}/{deviceNo}/request', direction: 'up', label: 'time' },
    { topic: '/ext/session/{productKey}/{deviceNo}/combine/login', direction: 'up', label: 'subLogin' },
  ],
}
