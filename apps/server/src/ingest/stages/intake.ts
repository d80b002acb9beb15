import { type DataType, loosen, type Refused } from '@thingwright/thing-model'
import type { Intake } from '../../modules/products/intake.port.ts'
import type { RawUplink } from '../uplink.ts'
import type { UnknownKeys } from './unknown-keys.ts'

/** Where the keys of a message stand in the thing model. */
export interface KeyPlace {
  readonly fields: readonly { identifier: string; dataType: DataType }[]
  /** Stands before a key in the list of unknown ones: nothing for properties, `event/{identifier}/`, `service/{identifier}/`. */
  readonly prefix: string
}

interface Sent {
  readonly raw: RawUplink
  readonly intake?: Intake
}

/**
 * Checks what a device sent and, when that is refused for a key or a text that its product does not mind, checks it once
 * more without. What was left out is told to `unknown` where the product collects it.
 */
export function underRule<T extends object>(
  { raw, intake }: Sent,
  { fields, prefix }: KeyPlace,
  sent: unknown,
  check: (sent: unknown) => T | Refused,
  unknown?: Pick<UnknownKeys, 'add'>,
): T | Refused {
  const made = check(sent)
  // Nothing is looked at twice but what would be refused.
  if (!isRefused(made) || !intake || (made.reason !== 'property_unknown' && made.reason !== 'property_type'))
    return made
  const how = { unknownKeys: intake.unknownKeys !== 'refuse', types: intake.lenientTypes }
  const loosened = loosen(fields, sent, how)
  if (!loosened) return made
  const again = check(loosened.values)
  if (!isRefused(again) && intake.unknownKeys === 'collect')
    for (const [key, value] of loosened.unknown) unknown?.add(raw.device, prefix + key, value, raw.arrivedAt)
  return again
}

function isRefused(made: object): made is Refused {
  return 'ok' in made && made.ok === false
}
