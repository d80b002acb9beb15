import type { DeskCardOrder } from '@thingwright/contracts/card-orders.contract'
import { ICCID_PATTERN } from '@thingwright/contracts/sim-cards.words'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { Facts } from '../../../ui/panel.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'

const ICCID = new RegExp(ICCID_PATTERN)

/** Ships a range of the stock to a company. */
export function ShipDrawer({ order, onClose }: { order: DeskCardOrder; onClose: () => void }) {
  const { t } = useTranslation('money')
  const ship = useAct('cardDesk.ship', { touches: ['cardDesk', 'moneyDesk'] })
  const fields = useMemo<Field[]>(() => {
    const iccid = {
      kind: 'string',
      required: true,
      mono: true,
      pattern: ICCID,
      patternText: t('cardDesk.iccidRule'),
    } as const
    return [
      { ...iccid, key: 'from', label: t('cardDesk.from') },
      { ...iccid, key: 'to', label: t('cardDesk.to') },
      {
        kind: 'string',
        key: 'logisticsCompany',
        label: t('cardDesk.company'),
        required: true,
        maxLength: 64,
        half: true,
      },
      {
        kind: 'string',
        key: 'logisticsNo',
        label: t('cardDesk.number'),
        required: true,
        maxLength: 64,
        half: true,
        pattern: /^[0-9A-Za-z-]{4,}$/,
        patternText: t('cardDesk.numberRule'),
      },
    ]
  }, [t])
  const { name, phone, region, line } = order.address
  return (
    <FormDrawer
      title={t('cardDesk.shipTitle', { no: order.no })}
      fields={fields}
      initial={{}}
      submitText={t('cardDesk.ship')}
      intro={
        <>
          <p>
            {t('cardDesk.shipNote', {
              quantity: formatNumber(order.quantity),
              form: t(`card.form.${order.form}`),
              carrier: t(`card.carrier.${order.carrier}`),
              use: t(`card.use.${order.use}`),
            })}
          </p>
          <Facts
            items={[
              { label: t('card.name'), value: name },
              { label: t('card.phone'), value: phone },
              { label: t('card.address'), value: `${region} ${line}`, wide: true },
              ...(order.remark ? [{ label: t('card.remark'), value: order.remark, wide: true }] : []),
            ]}
          />
        </>
      }
      onSubmit={async values => {
        await ship.send({ params: { id: order.id }, body: values as Body<'cardDesk.ship'> })
        notify.success(t('cardDesk.shipped'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
