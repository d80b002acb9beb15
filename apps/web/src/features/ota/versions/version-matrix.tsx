import type { FirmwareVersionCount } from '@thingwright/contracts/firmware.contract'
import { Button } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { ApiError } from '../../../lib/api/api-error.ts'
import { every } from '../../../lib/every.ts'
import { formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { saveFile, toCsv } from '../../../ui/list-page/csv.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { TabBar } from '../../../ui/tab-bar.tsx'
import { newCampaignAddress, packageAddress } from '../addresses.ts'
import { ProductSelect } from '../components/product-select.tsx'
import { VersionText } from '../components/version-text.tsx'
import type { ListTabs } from '../list-tabs.ts'
import css from '../ota.module.css'
import { type Fleet, fleets } from './fleets.ts'
import own from './versions.module.css'

/** Versions of one fleet that are shown at once; the rest unfolds. */
const SHOWN = 8
const REFRESH_MS = 15_000

/** Which versions the devices of each product run: how many, how many of them online, and what to do about the old ones. */
export function VersionMatrix({ tabs }: { tabs: ListTabs }) {
  const { t } = useTranslation('ota')
  const [params, setParams] = useSearchParams()
  const allowed = useMay('firmware.versions')
  const productId = params.get('productId')
  const query = useRead(
    'firmware.versions',
    { query: productId ? { productId } : {} },
    { enabled: allowed, refetchInterval: every(REFRESH_MS) },
  )
  const found = useMemo(() => fleets(query.data?.items ?? []), [query.data])
  const header = <PageHeader title={t('title')} description={t('lead')} />
  if (!allowed || (query.error instanceof ApiError && query.error.status === 403))
    return (
      <>
        {header}
        <NoPermissionState of="firmware.versions" />
      </>
    )
  const choose = (id: string | null) =>
    setParams(id === null ? { tab: 'versions' } : { tab: 'versions', productId: id }, { preventScrollReset: true })
  return (
    <>
      {header}
      <section className={css.card} aria-label={t('tabs.versions')}>
        <TabBar label={t('title')} items={tabs.items} active={tabs.active} onChange={tabs.onChange} />
        <div className={own.bar}>
          <ProductSelect value={productId} onChange={choose} allowClear width={240} />
          <span className={css.grow} />
          <Button disabled={found.length === 0} onClick={() => exportCsv(query.data?.items ?? [], t)}>
            {t('exportCsv')}
          </Button>
        </div>
        {query.isError && !query.data ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : query.isPending ? (
          <div className={css.fleets}>
            {[0, 1, 2].map(at => (
              <div key={at} className={css.fleetBone} />
            ))}
          </div>
        ) : found.length === 0 ? (
          productId === null ? (
            <EmptyState title={t('noVersions')} description={t('noVersionsText')} />
          ) : (
            <EmptyState onClear={() => choose(null)} />
          )
        ) : (
          <div className={css.fleets}>
            {found.map(fleet => (
              <FleetCard key={`${fleet.productId} ${fleet.module}`} fleet={fleet} />
            ))}
          </div>
        )}
      </section>
    </>
  )
}

function FleetCard({ fleet }: { fleet: Fleet }) {
  const { t } = useTranslation('ota')
  const mayDeploy = useMay('otaCampaigns.create')
  const [all, setAll] = useState(false)
  const rows = all ? fleet.rows : fleet.rows.slice(0, SHOWN)
  return (
    <article className={own.fleet} data-testid="fleet">
      <header className={css.fleetHead}>
        <h3 title={fleet.productName} dir="auto">
          {fleet.productName}
        </h3>
        <code>{fleet.module}</code>
        <span className={css.muted}>
          {t('devicesCount', { count: fleet.devices, text: formatNumber(fleet.devices) })} ·{' '}
          {t('versionsCount', { count: fleet.rows.length })}
        </span>
      </header>
      <table className={css.matrix}>
        <thead>
          <tr>
            <th scope="col">{t('version')}</th>
            <th scope="col">{t('distribution')}</th>
            <th scope="col" className={css.right}>
              {t('devices')}
            </th>
            <th scope="col" className={css.right}>
              {t('online')}
            </th>
            {mayDeploy && <th scope="col">{t('actions')}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={row.version ?? ''}>
              <td>
                {row.packageId ? (
                  <Link to={packageAddress(row.packageId)}>
                    <VersionText version={row.version} />
                  </Link>
                ) : (
                  <VersionText version={row.version} />
                )}
                {row.newest && <span className={own.newest}>{t('newest')}</span>}
              </td>
              <td>
                <span className={own.share} title={`${row.percent} %`}>
                  <span
                    style={{ width: `${row.width}%` }}
                    data-newest={row.newest}
                    data-unknown={row.version === null}
                  />
                </span>
                <span className={own.percent}>{row.percent === 0 && row.devices > 0 ? '<0.1' : row.percent} %</span>
              </td>
              <td className={css.right}>{formatNumber(row.devices)}</td>
              <td className={css.right}>{formatNumber(row.online)}</td>
              {mayDeploy && (
                <td>
                  {row.version !== null && !row.newest && fleet.newest !== null && (
                    <Link
                      to={newCampaignAddress({
                        product: fleet.productId,
                        from: row.version,
                        ...(fleet.newestPackage ? { package: fleet.newestPackage } : {}),
                      })}
                    >
                      {t('upgradeThese')}
                    </Link>
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {fleet.rows.length > SHOWN && (
        <Button type="link" onClick={() => setAll(!all)}>
          {all ? t('fewer') : t('allVersions', { count: fleet.rows.length })}
        </Button>
      )}
    </article>
  )
}

function exportCsv(items: readonly FirmwareVersionCount[], t: (key: string) => string): void {
  const header = ['product', 'module', 'version', 'orderNo', 'devices', 'online'].map(key => t(key))
  const rows = items.map(each => [each.productName, each.module, each.version, each.orderNo, each.devices, each.online])
  saveFile(`firmware-versions-${new Date().toISOString().slice(0, 10)}.csv`, [toCsv(header, rows)], 'text/csv')
}
