import { PlusOutlined } from '@ant-design/icons'
import { VERIFICATION_STATES } from '@thingwright/contracts/company.words'
import type { CompanyRow } from '@thingwright/contracts/operator.contract'
import { Button } from 'antd'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { formatDateTime } from '../../../lib/format.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { NumberText } from '../../../ui/number-text.tsx'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { CompanyState, Verified } from '../company-state.tsx'
import { fetchCompanies } from '../hooks.ts'

const CompanyDrawer = lazy(async () => ({ default: (await import('../components/company-drawer.tsx')).CompanyDrawer }))
const CreateCompany = lazy(async () => ({ default: (await import('../components/create-company.tsx')).CreateCompany }))
const SettingsDrawer = lazy(async () => ({
  default: (await import('../components/settings-drawer.tsx')).SettingsDrawer,
}))

const STATES = ['inactive', 'trial', 'active', 'grace', 'expired', 'frozen'] as const
const keyOf = (row: CompanyRow) => row.id
const hrefOf = (row: CompanyRow) => `/operator/companies?id=${row.id}`

/** Every company of the platform; the chosen one opens at the right. */
export function CompaniesPage() {
  const { t } = useTranslation('operator')
  const [search, setSearch] = useSearchParams()
  const [open, setOpen] = useState<'create' | 'settings' | null>(null)
  const chosen = search.get('id')
  const filters = useMemo<ListFilter[]>(
    () => [
      { key: 'status', label: t('state'), options: STATES.map(value => ({ value, label: t(`status.${value}`) })) },
      {
        key: 'verification',
        label: t('verification'),
        options: VERIFICATION_STATES.map(value => ({ value, label: t(`verified.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo(() => columnsOf(t), [t])
  const close = () =>
    setSearch(
      now => {
        now.delete('id')
        return now
      },
      { replace: true },
    )
  const actions = (
    <>
      <Button onClick={() => setOpen('settings')}>{t('platformSettings')}</Button>
      <PermissionGate of="operator.createCompany">
        <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen('create')}>
          {t('addCompany')}
        </Button>
      </PermissionGate>
    </>
  )
  return (
    <>
      <ListPage
        id="operator-companies"
        operation="operator.companies"
        fetchPage={fetchCompanies}
        rowKey={keyOf}
        rowHref={hrefOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('searchCompanies')}
        title={t('companies')}
        description={t('companiesLead')}
        actions={actions}
        empty={{ title: t('noCompanies'), description: t('noCompaniesText') }}
        exportName="companies"
        exportPath="/api/v1/operator/companies/export"
      />
      <Suspense>
        {chosen && <CompanyDrawer key={chosen} id={chosen} onClose={close} />}
        {open === 'create' && <CreateCompany onClose={() => setOpen(null)} />}
        {open === 'settings' && <SettingsDrawer onClose={() => setOpen(null)} />}
      </Suspense>
    </>
  )
}

function columnsOf(t: ReturnType<typeof useTranslation<'operator'>>['t']): ListColumn<CompanyRow>[] {
  return [
    {
      key: 'name',
      title: t('company'),
      minWidth: 220,
      required: true,
      sortKey: 'name',
      render: row => <NameCell name={row.name} id={row.appId} to={hrefOf(row)} />,
      csv: row => row.name,
    },
    {
      key: 'status',
      title: t('state'),
      width: 120,
      render: row => <CompanyState status={row.status} />,
      csv: row => t(`status.${row.status}`),
    },
    {
      key: 'expiresAt',
      title: t('expiresAt'),
      width: 150,
      sortKey: 'expiresAt',
      render: row => (row.expiresAt ? <TimeText value={row.expiresAt} /> : t('noEnd')),
      csv: row => (row.expiresAt ? formatDateTime(row.expiresAt) : ''),
    },
    {
      key: 'verification',
      title: t('verification'),
      width: 120,
      rank: 3,
      render: row => <Verified value={row.verification} />,
      csv: row => t(`verified.${row.verification}`),
    },
    {
      key: 'devices',
      title: t('devices'),
      width: 100,
      align: 'right',
      render: row => <NumberText value={row.devices} />,
      csv: row => row.devices,
    },
    {
      key: 'members',
      title: t('members'),
      width: 100,
      align: 'right',
      render: row => <NumberText value={row.members} />,
      csv: row => row.members,
    },
    {
      key: 'contact',
      title: t('contact'),
      width: 180,
      initiallyHidden: true,
      render: row => [row.contactName, row.contactPhone].filter(Boolean).join(' · ') || '–',
      csv: row => `${row.contactName} ${row.contactPhone}`,
    },
    {
      key: 'lastActivityAt',
      title: t('lastActivity'),
      width: 140,
      rank: 2,
      render: row => <TimeText value={row.lastActivityAt} fallback={t('never')} />,
      csv: row => (row.lastActivityAt ? formatDateTime(row.lastActivityAt) : ''),
    },
    {
      key: 'createdAt',
      title: t('createdAt'),
      width: 140,
      rank: 1,
      sortKey: 'createdAt',
      render: row => <TimeText value={row.createdAt} />,
      csv: row => formatDateTime(row.createdAt),
    },
  ]
}
