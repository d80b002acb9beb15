import type { InvoiceSource } from '@thingwright/contracts/invoices.contract'
import { INVOICE_TYPES, type InvoiceType } from '@thingwright/contracts/money.words'
import { Alert, Button } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import type { Body } from '../../lib/api-client.ts'
import { formatMoney } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { Field } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'
import { INVOICES, LIST, QUALIFICATIONS } from './hooks.ts'
import { TitleDialog } from './title-dialog.tsx'

/** Asks for one invoice over the chosen orders. */
export function RequestDrawer({ sources, onClose }: { sources: readonly InvoiceSource[]; onClose: () => void }) {
  const { t } = useTranslation('invoices')
  const navigate = useNavigate()
  const [adding, setAdding] = useState(false)
  const titles = useRead('invoiceTitles.list')
  const qualifications = useRead('invoiceQualifications.list')
  const addresses = useRead('addresses.list')
  const create = useAct('invoices.create', { touches: INVOICES })
  const total = sources.reduce((sum, one) => sum + one.openFen, 0)
  const approved = useMemo(
    () => (qualifications.data?.items ?? []).filter(one => one.state === 'approved'),
    [qualifications.data],
  )
  const fields = useMemo<Field[]>(
    () => [
      {
        key: 'type',
        kind: 'enum',
        label: t('type'),
        required: true,
        display: 'cards',
        options: INVOICE_TYPES.map(value => ({ value, label: t(`types.${value}`), help: t(`typeHelp.${value}`) })),
      },
      {
        key: 'titleId',
        kind: 'enum',
        label: t('buyer'),
        required: true,
        visible: values => values.type === 'ordinary',
        help: (
          <Button type="link" size="small" onClick={() => setAdding(true)}>
            {t('addTitle')}
          </Button>
        ),
        options: (titles.data?.items ?? []).map(one => ({
          value: one.id,
          label: [one.title, one.taxNo].filter(Boolean).join(' \u00b7 '),
        })),
      },
      {
        key: 'qualificationId',
        kind: 'enum',
        label: t('buyer'),
        required: true,
        visible: values => values.type !== 'ordinary',
        help: approved.length === 0 ? <Link to={QUALIFICATIONS}>{t('noQualification')}</Link> : undefined,
        options: approved.map(one => ({ value: one.id, label: `${one.title} \u00b7 ${one.taxNo}` })),
      },
      {
        key: 'email',
        kind: 'string',
        label: t('email'),
        maxLength: 254,
        pattern: /^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+$/,
        patternText: t('emailRule'),
        help: t('emailHelp'),
        visible: values => values.type !== 'special_paper',
      },
      {
        key: 'addressId',
        kind: 'enum',
        label: t('address'),
        required: true,
        help: <Link to="/admin/address">{t('addresses')}</Link>,
        visible: values => values.type === 'special_paper',
        options: (addresses.data?.items ?? []).map(one => ({
          value: one.id,
          label: `${one.receiver} ${one.phone} ${one.province}${one.city}${one.district}${one.detail}`,
        })),
      },
      { key: 'category', kind: 'string', label: t('category'), maxLength: 100, placeholder: t('categoryHint') },
      { key: 'remark', kind: 'string', label: t('remark'), maxLength: 200, rows: 2, help: t('remarkHelp') },
    ],
    [t, titles.data, addresses.data, approved],
  )
  const first = titles.data?.items[0]
  const initial = useMemo(
    () => ({
      type: 'ordinary',
      titleId: first?.id,
      qualificationId: approved[0]?.id,
      email: first?.email || undefined,
      addressId: addresses.data?.items[0]?.id,
    }),
    [first, approved, addresses.data],
  )
  if (!titles.data || !qualifications.data) return null
  return (
    <>
      <FormDrawer
        title={t('ask')}
        fields={fields}
        initial={initial}
        submitText={t('submit')}
        intro={
          <Alert type="info" showIcon title={t('chosen', { count: sources.length, amount: formatMoney(total) })} />
        }
        onSubmit={async values => {
          const { type, titleId, qualificationId, addressId, email, category, remark } = values
          const isPaper = (type as InvoiceType) === 'special_paper'
          const body = {
            type,
            orders: sources.map(one => ({ orderId: one.orderId })),
            ...(type === 'ordinary' ? { titleId } : { qualificationId }),
            ...(isPaper ? { addressId } : email ? { email } : {}),
            ...(category ? { category } : {}),
            ...(remark ? { remark } : {}),
          }
          const made = await create.send({ body: body as Body<'invoices.create'> })
          notify.success(t('asked'))
          onClose()
          void navigate(`${LIST}?id=${made.id}`)
        }}
        onClose={onClose}
      />
      {adding && <TitleDialog onClose={() => setAdding(false)} />}
    </>
  )
}
