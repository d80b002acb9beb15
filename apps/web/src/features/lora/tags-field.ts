import type { TFunction } from 'i18next'
import type { Field } from '../../ui/schema-form/field.ts'

/** Names and texts beside an object, one row each. */
export function tagsField(t: TFunction<'lora'>, help: string): Field {
  return {
    key: 'tags',
    kind: 'array',
    label: t('tags'),
    maxItems: 50,
    help,
    fresh: () => ({ key: '', value: '' }),
    element: {
      key: 'tag',
      kind: 'object',
      label: t('tag'),
      fields: [
        { key: 'key', kind: 'string', label: t('tagKey'), required: true, half: true, maxLength: 64 },
        { key: 'value', kind: 'string', label: t('tagValue'), half: true, maxLength: 256, cleared: '' },
      ],
    },
    check: value => {
      const keys = ((value as { key?: string }[] | undefined) ?? []).map(({ key }) => key)
      return new Set(keys).size === keys.length ? null : t('tagTwice')
    },
  }
}
