import { type Static, Type } from 'typebox'
import { IdParams, IsoTime, Nullable, Words } from './common.ts'
import { route } from './route.ts'
import { CARD_STATES, CARRIERS } from './sim-cards.words.ts'

const Kb = Type.Number({ description: 'Kilobytes of 1024 bytes' })

/** What the user of a device is shown of its card: traffic as the company wants it seen, nothing of the carrier's account. */
export const SimTrafficView = Type.Object({
  iccid: Type.String(),
  msisdn: Nullable(Type.String()),
  carrier: Words(CARRIERS),
  state: Words(CARD_STATES),
  online: Nullable(Type.Boolean()),
  usedKb: Nullable(Kb),
  planKb: Nullable(Kb),
  restKb: Nullable(Kb),
  monthSms: Nullable(Type.Integer()),
  dataUntil: Nullable(IsoTime),
  expiresAt: Nullable(IsoTime),
  syncedAt: Nullable(IsoTime),
})
export type SimTrafficView = Static<typeof SimTrafficView>

export const simTrafficContract = {
  ofDevice: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/sim-traffic',
    tag: 'SIM cards',
    summary: 'The SIM card in a device as its user is shown it: traffic of this month, its end, whether it passes data',
    permission: 'sim-traffic:read',
    params: IdParams,
    response: Type.Object({ card: Nullable(SimTrafficView) }),
  }),
}
