import { filledExample } from '@thingwright/contracts/examples'
import { CHANGES, type ChangeHouse, type Sent } from './house.ts'
import type { Things } from './things.journey.ts'

/** The request of the contracts' examples, one after the other: each leaves its line as the routes' own journeys do. */
export async function examples(house: ChangeHouse, made: Things): Promise<void> {
  const known: Record<string, unknown> = {
    device: { id: made.deviceId },
    product: { id: made.productId, productKey: made.productKey },
    group: { id: made.groupId },
  }
  const answers = new Map<string, Record<string, unknown>>()
  for (const [name, { example }] of CHANGES) {
    if (!example) continue
    const [feature = '', route = ''] = name.split('.')
    const ofFeature = answers.get(feature) ?? {}
    answers.set(feature, ofFeature)
    const find = (mark: string) => {
      const value = mark
        .split('.')
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], { ...known, ...ofFeature })
      if (value === undefined) throw new Error(`the example of ${name} has no {{${mark}}}`)
      return value
    }
    ofFeature[route] = await house.go(name, filledExample(example, find) as Sent)
  }
}
