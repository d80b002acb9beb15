import type { ProductDetail } from '@thingwright/contracts/products.contract'
import type { TFunction } from 'i18next'
import { GroupSelect } from '../../../ui/group-tree/group-select.tsx'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import { LINKS_OFFERED, NODE_TYPES } from '../product-words.ts'
import { CategoryInput } from './category-input.tsx'
import { IconChoice } from './icon-choice.tsx'

/** Basic data of a product; `fresh` adds what is fixed at its making. */
export function productFields(t: TFunction<'products'>, fresh: boolean): Field[] {
  const fixed: Field[] = [
    {
      kind: 'enum',
      key: 'linkType',
      label: t('linkType'),
      help: t('linkTypeHelp'),
      required: true,
      display: 'cards',
      options: LINKS_OFFERED.map(value => ({ value, label: t(`link.${value}`), help: t(`linkHelp.${value}`) })),
    },
    {
      kind: 'enum',
      key: 'nodeType',
      label: t('nodeType'),
      required: true,
      display: 'cards',
      options: NODE_TYPES.map(value => ({ value, label: t(`node.${value}`), help: t(`nodeHelp.${value}`) })),
    },
  ]
  return [
    { kind: 'string', key: 'name', label: t('name'), required: true, maxLength: 64, placeholder: t('namePlaceholder') },
    ...(fresh ? fixed : []),
    {
      kind: 'custom',
      key: 'category',
      label: t('category'),
      cleared: '',
      half: true,
      help: t('categoryHelp'),
      render: input => <CategoryInput input={input} maxLength={64} />,
    },
    {
      kind: 'custom',
      key: 'groupId',
      label: t('group'),
      half: true,
      render: input => (
        <GroupSelect
          kind="product"
          id={input.id}
          disabled={input.disabled}
          value={(input.value as string | null) ?? null}
          onChange={input.onChange}
          placeholder={t('noGroup')}
        />
      ),
    },
    {
      kind: 'duration',
      key: 'offlineDelaySeconds',
      label: t('offlineDelay'),
      help: t('offlineDelayHelp'),
      required: true,
      min: 10,
      max: 604_800,
    },
    {
      kind: 'custom',
      key: 'icon',
      label: t('icon'),
      cleared: '',
      render: input => (
        <IconChoice
          id={input.id}
          value={String(input.value ?? '')}
          onChange={input.onChange}
          disabled={input.disabled}
        />
      ),
    },
    { kind: 'string', key: 'description', label: t('description'), maxLength: 1000, rows: 3, cleared: '' },
  ]
}

export const NEW_PRODUCT: Values = { linkType: 'mqtt', nodeType: 'device', offlineDelaySeconds: 300 }

/** What an edit form begins with. */
export function productValues(product: ProductDetail): Values {
  const { name, category, groupId, offlineDelaySeconds, icon, description } = product
  return { name, category, groupId, offlineDelaySeconds, icon, description }
}
