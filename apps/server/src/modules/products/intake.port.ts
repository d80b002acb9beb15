/** What becomes of messages that the thing model would refuse. */
export interface Intake {
  readonly unknownKeys: 'refuse' | 'ignore' | 'collect'
  /** Texts of numbers and booleans are taken for what they say. */
  readonly lenientTypes: boolean
  /** drop: a value that cannot be taken is left out and listed; refuse: it refuses its whole message. */
  readonly badValues: 'drop' | 'refuse'
}

/** The rules of a product in force. `lenientTypes` null: as its dialects need it. */
export function intakeOf(product: {
  unknownKeys: Intake['unknownKeys'] | undefined
  lenientTypes: boolean | null | undefined
  dialects: Readonly<Record<string, unknown>> | null | undefined
  badValues: Intake['badValues'] | undefined
}): Intake {
  const { unknownKeys, lenientTypes, dialects, badValues } = product
  return {
    unknownKeys: unknownKeys ?? 'collect',
    badValues: badValues ?? 'drop',
    // Firmware of other platforms was written for platforms that read numbers out of texts.
    lenientTypes: lenientTypes ?? (dialects?.thingsboard === true || dialects?.alibaba === true),
  }
}
