import { PlusOutlined } from '@ant-design/icons'
import type { AddressView } from '@thingwright/contracts/addresses.contract'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { copyText } from '../../ui/copy.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import css from './addresses.module.css'
import { addressText, fetchAddresses, placeText, useAddressCount } from './hooks.ts'

const AddressDrawer = lazy(async () => ({ default: (await import('./address-drawer.tsx')).AddressDrawer }))
const RemoveDialog = lazy(async () => ({ default: (await import('./remove-dialog.tsx')).RemoveDialog }))

const keyOf = (address: AddressView) => address.id
const NO_FILTERS: readonly ListFilter[] = []

/** Where parcels go: invoices, cards and devices ordered here. */
export function AddressPage() {
  const { t } = useTranslation('addresses')
  const mayWrite = useMay('addresses.update')
  const count = useAddressCount().data
  const state = useListState(NO_FILTERS)
  const [open, setOpen] = useState<{ kind: 'create' } | { kind: 'edit' | 'remove'; address: AddressView } | null>(null)
  const full = count !== undefined && count.count >= count.limit

  const { run: update } = useAct('addresses.update', {
    always: true,
    done: address => notify.success(t('defaultDone', { name: address.receiver })),
  })
  const makeDefault = useCallback(
    (address: AddressView) =>
      update({ params: { id: address.id }, body: { version: address.version, isDefault: true } }),
    [update],
  )
  const rowActions = useCallback(
    (address: AddressView): RowAction[] => [
      {
        key: 'copy',
        label: t('copy'),
        onClick: async () => {
          if (await copyText(addressText(address))) notify.success(t('copied'))
          else notify.error(t('copyFailed'))
        },
      },
      ...(mayWrite
        ? [
            { key: 'edit', label: t('edit'), onClick: () => setOpen({ kind: 'edit', address }) },
            ...(address.isDefault
              ? []
              : [{ key: 'default', label: t('makeDefault'), onClick: () => void makeDefault(address) }]),
            { key: 'remove', label: t('remove'), danger: true, onClick: () => setOpen({ kind: 'remove', address }) },
          ]
        : []),
    ],
    [t, mayWrite, makeDefault],
  )
  const columns = useMemo<ListColumn<AddressView>[]>(
    () => [
      {
        key: 'receiver',
        title: t('receiver'),
        width: 176,
        required: true,
        render: address => (
          <span className={css.receiver}>
            <span className={css.name} title={address.receiver} dir="auto">
              {address.receiver}
            </span>
            {address.isDefault && <span className={css.default}>{t('default')}</span>}
          </span>
        ),
        csv: address => address.receiver,
      },
      {
        key: 'phone',
        title: t('phone'),
        width: 152,
        render: a => <span className={css.mono}>{a.phone}</span>,
        csv: a => a.phone,
      },
      {
        key: 'place',
        title: t('place'),
        minWidth: 280,
        render: address => (
          <span title={placeText(address)} dir="auto">
            {placeText(address)}
          </span>
        ),
        csv: placeText,
      },
      { key: 'zip', title: t('zip'), width: 96, rank: 1, render: a => a.zip || '–', csv: a => a.zip },
      {
        key: 'updatedAt',
        title: t('updatedAt'),
        width: 132,
        rank: 2,
        render: address => <TimeText value={address.updatedAt} />,
        csv: address => formatDateTime(address.updatedAt),
      },
    ],
    [t],
  )
  const create = (
    <PermissionGate of="addresses.update">
      <Button
        type="primary"
        icon={<PlusOutlined aria-hidden />}
        disabled={full}
        title={full ? t('full', { limit: count.limit }) : undefined}
        onClick={() => setOpen({ kind: 'create' })}
      >
        {t('add')}
      </Button>
    </PermissionGate>
  )
  const close = () => setOpen(null)
  return (
    <>
      <ListPage
        id="addresses"
        operation="addresses.list"
        fetchPage={fetchAddresses}
        rowKey={keyOf}
        columns={columns}
        filters={NO_FILTERS}
        state={state}
        searchPlaceholder={t('search')}
        title={t('title')}
        description={count ? t('leadCount', { count: count.count, limit: count.limit }) : t('lead')}
        actions={create}
        rowActions={rowActions}
        actionsWidth={176}
        empty={{ title: t('emptyTitle'), description: t('emptyText'), action: create }}
        exportName="addresses"
        exportPath="/api/v1/addresses/export"
      />
      <Suspense>
        {open?.kind === 'create' && <AddressDrawer address={null} first={count?.count === 0} onClose={close} />}
        {open?.kind === 'edit' && <AddressDrawer address={open.address} first={false} onClose={close} />}
        {open?.kind === 'remove' && <RemoveDialog address={open.address} onClose={close} />}
      </Suspense>
    </>
  )
}
