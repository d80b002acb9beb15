import type { CatalogueItem, SimSpec } from '@thingwright/contracts/catalogue.contract'
import { CARDS_PER_ORDER } from '@thingwright/contracts/money.words'
import { Skeleton } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { formatMoney } from '../../../lib/format.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { MONEY } from '../hooks.ts'
import { nameOf } from '../words.ts'

/** Orders cards of one plan. The address of the last order is filled in. */
export function CardOrderDrawer({
  item,
  onOrdered,
  onClose,
}: {
  item: CatalogueItem
  onOrdered: (orderId: string) => void
  onClose: () => void
}) {
  const { t } = useTranslation('money')
  const last = useRead('cardOrders.list', { query: { limit: 1 } })
  const create = useAct('cardOrders.create', { touches: [...MONEY, 'cardOrders'] })
  const spec = item.spec as SimSpec
  const eachFen = item.priceFen + spec.cardFen
  const fields = useMemo<Field[]>(
    () => [
      {
        kind: 'enum',
        key: 'form',
        label: t('card.formLabel'),
        required: true,
        half: true,
        options: spec.forms.map(value => ({ value, label: t(`card.form.${value}`) })),
      },
      {
        kind: 'number',
        integer: true,
        key: 'quantity',
        label: t('card.quantity'),
        required: true,
        half: true,
        min: 1,
        max: CARDS_PER_ORDER,
      },
      { kind: 'string', key: 'name', label: t('card.name'), required: true, maxLength: 64, half: true },
      {
        kind: 'string',
        key: 'phone',
        label: t('card.phone'),
        required: true,
        half: true,
        pattern: /^[0-9+ -]{7,20}$/,
        patternText: t('card.phoneRule'),
      },
      { kind: 'string', key: 'region', label: t('card.region'), required: true, minLength: 2, maxLength: 64 },
      { kind: 'string', key: 'line', label: t('card.line'), required: true, minLength: 2, maxLength: 200 },
      { kind: 'string', key: 'remark', label: t('card.remark'), maxLength: 200, rows: 2 },
    ],
    [t, spec.forms],
  )
  const address = last.data?.items[0]?.address
  const initial = useMemo(() => ({ form: spec.forms[0], quantity: 1, ...address }), [spec.forms, address])
  // The form keeps what it began with: the address has to be there.
  if (last.isPending) return <Skeleton active />
  return (
    <FormDrawer
      title={t('card.orderTitle')}
      fields={fields}
      initial={initial}
      submitText={t('card.next')}
      note={`${nameOf(item)} · ${formatMoney(eachFen)} ${t('card.each')}`}
      onSubmit={async ({ form, quantity, remark, ...address }) => {
        const body = { sku: item.sku, form, quantity, address, ...(remark ? { remark } : {}) }
        const order = await create.send({ body: body as Body<'cardOrders.create'> })
        onOrdered(order.id)
      }}
      onClose={onClose}
    />
  )
}
