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

/** Checks values; where it is given a list it keeps what is good and adds the rest to the list. */
export type Check<T> = (sent: unknown, faults?: Refused[]) => T | Refused

/**
 * Checks what a device sent and, when that is refused for a key or a text that its product does not mind, checks it once
 * more without; what cannot be taken then is left out and added to `faults`, unless the product refuses such messages
 * whole. Unknown keys that were left out are told to `unknown` where the product collects them.
 */
export function underRule<T extends object>(
  { raw, intake }: Sent,
  { fields, prefix }: KeyPlace,
  sent: unknown,
  check: Check<T>,
  faults: Refused[],
  unknown?: Pick<UnknownKeys, 'add'>,
): T | Refused {
  const made = check(sent)
  // Nothing is looked at twice but what would be refused.
  if (!isRefused(made) || !intake) return made
  const how = { unknownKeys: intake.unknownKeys !== 'refuse', types: intake.lenientTypes }
  const loosened = loosen(fields, sent, how)
  const given = loosened ? loosened.values : sent
  let again = loosened ? check(given) : made
  if (isRefused(again) && intake.badValues === 'drop') again = kept(given, check, intake, faults) ?? again
  if (!isRefused(again) && loosened && intake.unknownKeys === 'collect')
    for (const [key, value] of loosened.unknown) unknown?.add(raw.device, prefix + key, value, raw.arrivedAt)
  return again
}

/** What is left when the bad values are left out; undefined: nothing, or what the product refuses whole. */
function kept<T extends object>(given: unknown, check: Check<T>, intake: Intake, faults: Refused[]): T | undefined {
  const found: Refused[] = []
  const made = check(given, found)
  if (isRefused(made)) return undefined
  const strict = intake.unknownKeys === 'refuse' && found.some(({ reason }) => reason === 'property_unknown')
  if (strict) return undefined
  faults.push(...found)
  return made
}

function isRefused(made: object): made is Refused {
  return 'ok' in made && made.ok === false
}
