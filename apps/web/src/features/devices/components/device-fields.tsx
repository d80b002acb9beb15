import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { TFunction } from 'i18next'
import { GroupSelect } from '../../../ui/group-tree/group-select.tsx'
import type { Field, Values } from '../../../ui/schema-form/field.ts'

const DEVICE_NO = /^[A-Za-z0-9_.:-]{1,64}$/

/** What can be said of a device; `product` is there for a new one only. */
export function deviceFields(
  t: TFunction<'devices'>,
  product?: { choices: { value: string; label: string }[]; setQ: (q: string) => void; loading: boolean },
): Field[] {
  const fresh: Field[] = product
    ? [
        {
          kind: 'enum',
          key: 'productId',
          label: t('product'),
          help: t('productHelp'),
          required: true,
          options: product.choices,
          onSearch: product.setQ,
          loading: product.loading,
          placeholder: t('productPlaceholder'),
        },
      ]
    : []
  const number: Field[] = product
    ? [
        {
          kind: 'string',
          key: 'deviceNo',
          label: t('deviceNo'),
          help: t('deviceNoHelp'),
          placeholder: t('deviceNoAuto'),
          maxLength: 64,
          mono: true,
          pattern: DEVICE_NO,
          patternText: t('deviceNoPattern'),
        },
      ]
    : []
  return [
    ...fresh,
    { kind: 'string', key: 'name', label: t('name'), required: true, maxLength: 64, placeholder: t('namePlaceholder') },
    ...number,
    {
      kind: 'custom',
      key: 'groupId',
      label: t('group'),
      half: true,
      render: input => (
        <GroupSelect
          kind="device"
          id={input.id}
          disabled={input.disabled}
          value={(input.value as string | null) ?? null}
          onChange={input.onChange}
          placeholder={t('noGroup')}
        />
      ),
    },
    { kind: 'tags', key: 'tags', label: t('tags'), half: true, maxItems: 20, maxLength: 32, help: t('tagsHelp') },
    { kind: 'geo', key: 'location', label: t('location'), help: t('locationHelp'), address: true },
    {
      kind: 'array',
      key: 'attributes',
      label: t('attributes'),
      help: t('attributesHelp'),
      maxItems: 32,
      fresh: () => ({ name: '', value: '' }),
      element: {
        kind: 'object',
        key: '',
        label: '',
        fields: [
          { kind: 'string', key: 'name', label: t('attributeName'), required: true, maxLength: 32, half: true },
          { kind: 'string', key: 'value', label: t('attributeValue'), maxLength: 256, half: true, cleared: '' },
        ],
      },
    },
    {
      kind: 'duration',
      key: 'offlineDelaySeconds',
      label: t('offlineDelay'),
      help: t('offlineDelayHelp'),
      min: 10,
      max: 604_800,
      placeholder: t('asProduct'),
    },
    { kind: 'string', key: 'description', label: t('description'), maxLength: 1000, rows: 3, cleared: '' },
  ]
}

/** What an edit form begins with. */
export function deviceValues(device: DeviceView): Values {
  const { name, groupId, tags, attributes, location, offlineDelaySeconds, description } = device
  return { name, groupId, tags, attributes, location, offlineDelaySeconds, description }
}
