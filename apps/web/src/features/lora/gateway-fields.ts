import type { LoraConnectionView } from '@thingwright/contracts/lora.contract'
import type { TFunction } from 'i18next'
import type { Field } from '../../ui/schema-form/field.ts'
import { tagsField } from './tags-field.ts'

export const GATEWAY_TABS = ['general', 'location', 'tags'] as const

/** The fields of a gateway. @param connections null: it is being changed, and stays where it is */
export function gatewayFields(
  t: TFunction<'lora'>,
  connections: readonly LoraConnectionView[] | null,
): Record<(typeof GATEWAY_TABS)[number], Field[]> {
  return {
    general: [
      ...(connections
        ? ([
            {
              key: 'connectionId',
              kind: 'enum',
              label: t('connection.one'),
              required: true,
              options: connections.map(({ id, name }) => ({ value: id, label: name })),
            },
            {
              key: 'gatewayId',
              kind: 'string',
              label: t('gateway.id'),
              required: true,
              mono: true,
              maxLength: 16,
              pattern: /^[0-9a-f]{16}$/i,
              patternText: t('gateway.idRule'),
              help: t('gateway.idHelp'),
              placeholder: '0016c001f1500812',
            },
          ] satisfies Field[])
        : []),
      { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 100 },
      { key: 'description', kind: 'string', label: t('description'), rows: 2, maxLength: 1000, cleared: '' },
      {
        key: 'statsInterval',
        kind: 'duration',
        label: t('gateway.statsInterval'),
        required: true,
        half: true,
        min: 1,
        max: 86_400,
        help: t('gateway.statsIntervalHelp'),
      },
      {
        key: 'downlinkPriority',
        kind: 'number',
        integer: true,
        label: t('gateway.downlinkPriority'),
        required: true,
        half: true,
        min: 0,
        max: 65_535,
        help: t('gateway.downlinkPriorityHelp'),
      },
    ],
    location: [
      { key: 'location', kind: 'geo', label: t('gateway.location'), altitude: true, help: t('gateway.locationHelp') },
    ],
    tags: [tagsField(t, t('gateway.tagsHelp'))],
  }
}
