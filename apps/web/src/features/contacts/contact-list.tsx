import { PlusOutlined } from '@ant-design/icons'
import { API_PATHS } from '@thingwright/contracts/api-paths'
import type { ContactView } from '@thingwright/contracts/contacts.contract'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { useCache } from '../../lib/server-state/cache.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { PushButton } from '../../ui/push/push-button.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { useUserFilter } from '../../ui/user-filter.ts'
import { fetchContactsOf, type Tabs } from './hooks.ts'

const ContactDrawer = lazy(async () => ({ default: (await import('./contact-drawer.tsx')).ContactDrawer }))
const VerifyDialog = lazy(async () => ({ default: (await import('./contact-dialogs.tsx')).VerifyDialog }))
const RemoveDialog = lazy(async () => ({ default: (await import('./contact-dialogs.tsx')).RemoveDialog }))

const keyOf = (row: ContactView) => row.id
const NO_FILTERS: readonly ListFilter[] = []

/** Contacts of the company, or of one end user. @param userId whose centre shows them; null: of the caller */
export function ContactList({ tabs, userId }: { tabs?: Tabs; userId?: string | null }) {
  const { t } = useTranslation('contacts')
  const mayWrite = useMay('contacts.update')
  const byOwner = useUserFilter(true)
  const filters = userId === undefined ? byOwner : NO_FILTERS
  const cache = useCache()
  const state = useListState(filters)
  const fetchPage = useMemo(() => fetchContactsOf(userId ?? null), [userId])
  const mayOwn = useMay('endUsers.list')
  const [open, setOpen] = useState<
    | { kind: 'create' }
    | { kind: 'edit' | 'remove'; row: ContactView }
    | { kind: 'verify'; row: ContactView; to: 'email' | 'phone' }
    | null
  >(null)
  const { run: sendCode } = useAct('contacts.sendCode')
  const verify = useCallback(
    async (row: ContactView, to: 'email' | 'phone') => {
      const reply = await sendCode({ params: { id: row.id }, body: { to } })
      if (reply === undefined) return
      notify.success(t('codeSent', { email: row[to] ?? '' }))
      setOpen({ kind: 'verify', row, to })
    },
    [sendCode, t],
  )
  const rowActions = useCallback(
    (row: ContactView): RowAction[] =>
      mayWrite
        ? [
            ...(row.email === null || row.verifiedAt
              ? []
              : [{ key: 'verify', label: t('verify'), onClick: () => void verify(row, 'email') }]),
            ...(row.phone === null || row.phoneVerifiedAt
              ? []
              : [{ key: 'verifyPhone', label: t('verifyPhone'), onClick: () => void verify(row, 'phone') }]),
            { key: 'edit', label: t('edit'), onClick: () => setOpen({ kind: 'edit', row }) },
            { key: 'remove', label: t('remove'), danger: true, onClick: () => setOpen({ kind: 'remove', row }) },
          ]
        : [],
    [t, mayWrite, verify],
  )
  const columns = useMemo<ListColumn<ContactView>[]>(() => {
    const stateOf = (row: ContactView) => {
      const isReady = row.verifiedAt || row.phoneVerifiedAt || row.wechatOpenid || row.hasPush
      return t(row.enabled ? (isReady ? (row.escalationOnly ? 'escalationOnly' : 'ready') : 'unverified') : 'disabled')
    }
    const levelOf = (row: ContactView) => t('fromLevel', { level: row.minLevel })
    return [
      { key: 'name', title: t('name'), minWidth: 160, required: true, render: row => row.name, csv: row => row.name },
      { key: 'email', title: t('email'), minWidth: 200, render: row => row.email ?? '–', csv: row => row.email ?? '' },
      {
        key: 'phone',
        title: t('phone'),
        minWidth: 140,
        rank: 1,
        render: row => row.phone ?? '–',
        csv: row => row.phone ?? '',
      },
      ...(mayOwn && userId !== null
        ? [
            {
              key: 'owner',
              title: t('customer.owner'),
              minWidth: 120,
              rank: 1 as const,
              render: (row: ContactView) => row.owner?.name ?? t('customer.none'),
              csv: (row: ContactView) => row.owner?.name ?? '',
            },
          ]
        : []),
      { key: 'minLevel', title: t('minLevel'), width: 144, rank: 2, render: levelOf, csv: row => row.minLevel },
      { key: 'state', title: t('state'), width: 128, render: stateOf, csv: stateOf },
      {
        key: 'createdAt',
        title: t('createdAt'),
        width: 132,
        rank: 1,
        render: row => <TimeText value={row.createdAt} />,
        csv: row => formatDateTime(row.createdAt),
      },
    ]
  }, [t, mayOwn, userId])
  const exportFilters = useCallback((chosen: Record<string, string>) => (userId ? { userId } : chosen), [userId])
  const create = (
    <PermissionGate of="contacts.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen({ kind: 'create' })}>
        {t('add')}
      </Button>
    </PermissionGate>
  )
  const close = () => setOpen(null)
  return (
    <>
      <ListPage
        id="contacts"
        operation="contacts.list"
        fetchPage={fetchPage}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        {...(tabs ? { tabs } : {})}
        searchPlaceholder={t('search')}
        title={t('title')}
        description={userId === undefined ? t('lead') : t('customer.lead')}
        actions={
          <>
            {(userId ?? null) === null && <PushButton onChange={() => void cache.touch('contacts')} />}
            {create}
          </>
        }
        rowActions={rowActions}
        empty={{ title: t('emptyTitle'), description: t('emptyText'), action: create }}
        exportName="contacts"
        exportPath={API_PATHS['contacts.export'][1]}
        exportFilters={exportFilters}
      />
      <Suspense>
        {open?.kind === 'create' && <ContactDrawer contact={null} userId={userId ?? null} onClose={close} />}
        {open?.kind === 'edit' && <ContactDrawer contact={open.row} userId={null} onClose={close} />}
        {open?.kind === 'verify' && <VerifyDialog contact={open.row} to={open.to} onClose={close} />}
        {open?.kind === 'remove' && <RemoveDialog contact={open.row} onClose={close} />}
      </Suspense>
    </>
  )
}
