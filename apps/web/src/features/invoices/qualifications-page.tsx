import type { QualificationView } from '@thingwright/contracts/invoices.contract'
import { Button, Modal } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { fetchQualifications, INVOICES, QUALIFICATION_KIND } from './hooks.ts'

const QualificationDrawer = lazy(async () => ({
  default: (await import('./qualification-drawer.tsx')).QualificationDrawer,
}))
const keyOf = (row: QualificationView) => row.id
const NO_FILTERS: readonly ListFilter[] = []

/** Qualifications for special VAT invoices. */
export function QualificationsPage() {
  const { t } = useTranslation('invoices')
  const mayWrite = useMay('invoiceQualifications.update')
  const state = useListState(NO_FILTERS)
  const [open, setOpen] = useState<{ row: QualificationView | null } | null>(null)
  const [ending, setEnding] = useState<QualificationView | null>(null)
  const choose = useAct('invoiceQualifications.choose', { touches: INVOICES })
  const expire = useAct('invoiceQualifications.expire', { touches: INVOICES, done: () => setEnding(null) })
  const { run: makeDefault } = choose
  const columns = useMemo<ListColumn<QualificationView>[]>(
    () => [
      {
        key: 'title',
        title: t('titleName'),
        minWidth: 184,
        required: true,
        render: row => (
          <>
            {row.title} {row.isDefault && <StatusTag kind="success">{t('default')}</StatusTag>}
          </>
        ),
        csv: row => row.title,
      },
      { key: 'taxNo', title: t('taxNo'), width: 192, render: row => row.taxNo, csv: row => row.taxNo },
      {
        key: 'bank',
        title: t('bank'),
        minWidth: 160,
        rank: 1,
        render: row => `${row.bank} ${row.bankAccount}`,
        csv: row => `${row.bank} ${row.bankAccount}`,
      },
      {
        key: 'state',
        title: t('state'),
        width: 112,
        render: row => (
          <StatusTag kind={QUALIFICATION_KIND[row.state]} title={row.reason ?? ''}>
            {t(`qualification.${row.state}`)}
          </StatusTag>
        ),
        csv: row => t(`qualification.${row.state}`),
      },
      { key: 'reason', title: t('reason'), minWidth: 140, rank: 1, render: row => row.reason ?? '\u2013' },
      {
        key: 'submittedAt',
        title: t('submittedAt'),
        width: 132,
        rank: 2,
        render: row => <TimeText value={row.submittedAt} />,
        csv: row => row.submittedAt,
      },
    ],
    [t],
  )
  const rowActions = useCallback(
    (row: QualificationView): RowAction[] =>
      mayWrite && row.state !== 'expired'
        ? [
            { key: 'edit', label: t('change'), onClick: () => setOpen({ row }) },
            ...(row.isDefault
              ? []
              : [
                  {
                    key: 'choose',
                    label: t('makeDefault'),
                    onClick: () => void makeDefault({ params: { id: row.id } }),
                  },
                ]),
            { key: 'expire', label: t('end'), danger: true, onClick: () => setEnding(row) },
          ]
        : [],
    [t, mayWrite, makeDefault],
  )
  const add = (
    <PermissionGate of="invoiceQualifications.create">
      <Button type="primary" onClick={() => setOpen({ row: null })}>
        {t('addQualification')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="invoice-qualifications"
        operation="invoiceQualifications.list"
        fetchPage={fetchQualifications}
        rowKey={keyOf}
        columns={columns}
        filters={NO_FILTERS}
        state={state}
        searchPlaceholder={t('searchQualification')}
        title={t('qualificationTitle')}
        description={t('qualificationLead')}
        actions={add}
        rowActions={rowActions}
        empty={{ title: t('noQualifications'), description: t('noQualificationsText'), action: add }}
        exportName="invoice-qualifications"
      />
      <Suspense>
        {open && (
          <QualificationDrawer key={open.row?.id ?? ''} qualification={open.row} onClose={() => setOpen(null)} />
        )}
      </Suspense>
      {ending && (
        <Modal
          open
          width={420}
          title={t('endTitle')}
          okText={t('end')}
          cancelText={t('cancel')}
          okButtonProps={{ danger: true, loading: expire.pending }}
          onOk={() => void expire.run({ params: { id: ending.id } })}
          onCancel={() => setEnding(null)}
        >
          <p dir="auto">{t('endText', { title: ending.title })}</p>
        </Modal>
      )}
    </>
  )
}
