import { PlusOutlined } from '@ant-design/icons'
import type { OtaCampaignView } from '@thingwright/contracts/ota.contract'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { locale } from '../../../lib/i18n.ts'
import { useMay } from '../../../lib/permissions.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { campaignAddress, newCampaignAddress } from '../addresses.ts'
import { campaignsLive, fetchCampaigns, usePackage, useProducts } from '../hooks.ts'
import type { ListTabs } from '../list-tabs.ts'
import { actionsOf, CAMPAIGN_KINDS, CAMPAIGN_STATES, type CampaignAction } from '../words.ts'
import { campaignColumns } from './campaign-columns.tsx'

const CampaignDialog = lazy(async () => ({ default: (await import('./campaign-dialogs.tsx')).CampaignDialog }))

const keyOf = (row: OtaCampaignView) => row.id
const hrefOf = (row: OtaCampaignView) => campaignAddress(row.id)

/** Every rollout, trial and way back; those that run move while one looks. */
export function CampaignList({ tabs }: { tabs: ListTabs }) {
  const { t } = useTranslation('ota')
  const navigate = useNavigate()
  const mayDeploy = useMay('otaCampaigns.create')
  const [asking, setAsking] = useState<{ action: CampaignAction; of: OtaCampaignView } | null>(null)
  const products = useProducts()
  const filters = useFilters(products)
  const state = useListState(filters)
  const columns = useMemo(() => campaignColumns(t), [t])
  const rowActions = useCallback(
    (row: OtaCampaignView): RowAction[] => [
      { key: 'detail', label: t('detail'), to: campaignAddress(row.id) },
      ...(mayDeploy
        ? actionsOf(row).map(action => ({
            key: action,
            label: t(`campaign.${action}.action`),
            danger: action === 'cancel',
            onClick: () => setAsking({ action, of: row }),
          }))
        : []),
    ],
    [t, mayDeploy],
  )
  const create = (
    <PermissionGate of="otaCampaigns.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => void navigate(newCampaignAddress())}>
        {t('newCampaign')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="ota-campaigns"
        operation="otaCampaigns.list"
        fetchPage={fetchCampaigns}
        refreshMs={campaignsLive}
        rowKey={keyOf}
        rowHref={hrefOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('searchCampaigns')}
        title={t('title')}
        description={t('lead')}
        tabs={tabs}
        actions={create}
        rowActions={rowActions}
        actionsWidth={locale() === 'en' ? 216 : 168}
        empty={{ title: t('noCampaigns'), description: t('noCampaignsText'), action: create }}
        exportName="ota-campaigns"
      />
      <Suspense>
        {asking && <CampaignDialog action={asking.action} of={asking.of} onClose={() => setAsking(null)} />}
      </Suspense>
    </>
  )
}

function useFilters(products: ReturnType<typeof useProducts>): ListFilter[] {
  const { t } = useTranslation('ota')
  const asked = new URLSearchParams(window.location.search).get('packageId')
  const chosen = usePackage(asked).data
  return useMemo<ListFilter[]>(
    () => [
      {
        key: 'productId',
        label: t('product'),
        open: true,
        options: products.choices,
        onSearch: products.setQ,
        loading: products.loading,
        display: () => '…',
      },
      {
        key: 'state',
        label: t('state'),
        options: CAMPAIGN_STATES.map(value => ({ value, label: t(`campaignState.${value}`) })),
      },
      {
        key: 'kind',
        label: t('campaignKindTitle'),
        options: CAMPAIGN_KINDS.map(value => ({ value, label: t(`campaignKind.${value}`) })),
      },
      {
        key: 'packageId',
        label: t('package.title'),
        chipOnly: true,
        display: () => (chosen ? `${chosen.name} ${chosen.version}` : '…'),
      },
    ],
    [t, products.choices, products.setQ, products.loading, chosen],
  )
}
