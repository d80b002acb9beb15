import { type Static, Type } from 'typebox'
import { IsoTime, Nullable, Words } from './common.ts'
import { route } from './route.ts'

export const AlarmLinkView = Type.Object({
  state: Words(['open', 'used', 'acknowledged', 'expired'], {
    description: 'Only an open one acknowledges; used: by this link; acknowledged: in another way',
  }),
  triggerName: Type.String(),
  deviceName: Nullable(Type.String()),
  level: Type.Integer(),
  active: Type.Boolean(),
  raisedAt: IsoTime,
  contactName: Type.String(),
  acknowledgedAt: Nullable(IsoTime),
  acknowledgedName: Nullable(Type.String()),
})
export type AlarmLinkView = Static<typeof AlarmLinkView>

const body = Type.Object(
  { token: Type.String({ minLength: 20, maxLength: 120, pattern: '^[A-Za-z0-9_-]+$' }) },
  { additionalProperties: false },
)

/** What a message about an alarm carries: whoever holds it may acknowledge that alarm once. */
export const alarmLinksContract = {
  look: route({
    method: 'POST',
    path: '/api/v1/public/alarm-links/look',
    tag: 'Contacts',
    summary: 'The alarm of a link in a message; looking changes nothing, so programs that follow links do no harm',
    permission: 'public',
    audit: { none: 'reads' },
    body,
    response: AlarmLinkView,
  }),
  acknowledge: route({
    method: 'POST',
    path: '/api/v1/public/alarm-links/acknowledge',
    tag: 'Contacts',
    summary: 'Acknowledges the alarm of a link, once, in the name of the contact it was sent to',
    permission: 'public',
    audit: 'alarm.ack',
    body,
    response: AlarmLinkView,
  }),
}
