import { CommandRules, TemplateBody } from '@thingwright/contracts/command-schemas'
import { RegistrationMode, TopicRights } from '@thingwright/contracts/device-identity.contract'
import { FormatBody } from '@thingwright/contracts/format-schemas'
import { FormatSample } from '@thingwright/contracts/formats.contract'
import { LinkSettings } from '@thingwright/contracts/links.contract'
import { BadValuesRule, UnknownKeysRule } from '@thingwright/contracts/products.contract'
import { type Static, Type } from 'typebox'

/** Topic rights and limits as they are kept with a product or a device. */
export const Access = Type.Partial(
  Type.Object({
    topics: TopicRights,
    messagesPerSecond: Type.Union([Type.Number({ minimum: 0.01, maximum: 10_000 }), Type.Null()]),
  }),
  { additionalProperties: false },
)

/**
 * How a product's devices connect, speak and are commanded, as it stands in the file. Not in it: the product's secret,
 * and ports of its own, which are the installation's and are claimed anew.
 */
export const ProductSettings = Type.Partial(
  Type.Object({
    format: FormatBody,
    link: Type.Partial(LinkSettings),
    unknownKeys: UnknownKeysRule,
    lenientTypes: Type.Union([Type.Boolean(), Type.Null()]),
    badValues: BadValuesRule,
    dialects: Type.Partial(Type.Object({ thingsboard: Type.Boolean(), alibaba: Type.Boolean() })),
    subDevicePresence: Type.Union([Type.Literal('gateway'), Type.Literal('silence')]),
    samples: Type.Array(FormatSample, { maxItems: 100 }),
    registration: RegistrationMode,
    access: Access,
    commandRules: CommandRules,
    templates: Type.Array(
      Type.Object({
        code: Type.String({ minLength: 1, maxLength: 64 }),
        name: Type.String({ minLength: 1, maxLength: 64 }),
        description: Type.String({ maxLength: 1000 }),
        place: Type.Integer(),
        body: TemplateBody,
      }),
      { maxItems: 500 },
    ),
  }),
)
export type ProductSettings = Static<typeof ProductSettings>
