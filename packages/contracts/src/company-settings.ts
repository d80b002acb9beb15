import { type Static, Type } from 'typebox'
import { JsonObject, Nullable } from './common.ts'

const Limit = (maximum: number) => Nullable(Type.Integer({ minimum: 0, maximum, description: 'null: no limit' }))

/** How long a company's data is kept. */
export const CompanyRetention = Type.Object(
  {
    telemetryDays: Type.Integer({ minimum: 1, maximum: 400, description: 'Reported values, events, connections' }),
    messageLogHours: Type.Integer({ minimum: 1, maximum: 720, description: 'Raw messages in the log of a device' }),
    auditDays: Type.Integer({ minimum: 180, maximum: 3650, description: 'Operation log' }),
    signInDays: Type.Integer({ minimum: 30, maximum: 3650, description: 'History of sign-ins' }),
    alarmDays: Type.Integer({ minimum: 30, maximum: 3650, description: 'Alarms after they were cleared' }),
    triggerRunDays: Type.Integer({ minimum: 7, maximum: 3650, description: 'Log of what triggers did' }),
  },
  { additionalProperties: false },
)
export type CompanyRetention = Static<typeof CompanyRetention>

/** How much a company may hold; set by the operator. */
export const CompanyQuotas = Type.Object(
  {
    devices: Limit(10_000_000),
    products: Limit(100_000),
    members: Limit(100_000),
    mediaBytes: Limit(2 ** 50),
    messagesPerDay: Limit(10_000_000_000),
    messagesPerSecond: Nullable(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Of all devices together; null: no limit' }),
    ),
    pointsPerDay: Limit(1_000_000_000_000),
  },
  { additionalProperties: false },
)
export type CompanyQuotas = Static<typeof CompanyQuotas>
export type QuotaKind = keyof CompanyQuotas

/** The rules that a company sets for itself; `security` is read and checked by identity. */
export const CompanySettings = Type.Object({
  retention: CompanyRetention,
  quotas: CompanyQuotas,
  security: JsonObject,
})
export type CompanySettings = Static<typeof CompanySettings>

/** What counts for a company that set nothing. */
export const DEFAULT_SETTINGS: CompanySettings = {
  retention: {
    telemetryDays: 400,
    messageLogHours: 24,
    auditDays: 1095,
    signInDays: 365,
    alarmDays: 1095,
    triggerRunDays: 90,
  },
  quotas: {
    devices: 200_000,
    products: 1_000,
    members: 500,
    mediaBytes: 5 * 1024 ** 3,
    messagesPerDay: null,
    messagesPerSecond: null,
    pointsPerDay: null,
  },
  security: {},
}
