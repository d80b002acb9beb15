import type { FirmwarePackageView } from '@thingwright/contracts/firmware.contract'
import { Button, Drawer, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { formatBytes, formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { campaignAddress, listAddress, newCampaignAddress } from '../addresses.ts'
import { ShareBar } from '../components/share-bar.tsx'
import { VersionText } from '../components/version-text.tsx'
import { LIVE_MS, usePackage } from '../hooks.ts'
import css from '../ota.module.css'
import { signOfCampaign, signOfPackage } from '../words.ts'
import type { PackageQuestion } from './package-dialogs.tsx'
import own from './packages.module.css'
import { PathFinder } from './path-finder.tsx'

/** One package: what it is, whether it was tried, where it went, and how devices get to it. */
export function PackageDrawer({
  id,
  onAsk,
  onClose,
}: {
  id: string
  onAsk: (question: PackageQuestion, of: FirmwarePackageView) => void
  onClose: () => void
}) {
  const { t } = useTranslation('ota')
  const navigate = useNavigate()
  const mayDeploy = useMay('otaCampaigns.create')
  const query = usePackage(id)
  const { data } = query
  const usable = data && data.state !== 'disabled'
  return (
    <Drawer
      open
      size={720}
      title={data?.name ?? t('detail')}
      onClose={onClose}
      footer={
        <div className={css.foot}>
          <Button onClick={onClose}>{t('close')}</Button>
          {usable && mayDeploy && (
            <>
              <Button onClick={() => onAsk('conclude', data)}>{t('package.conclude.action')}</Button>
              <Button onClick={() => onAsk('verify', data)}>{t('package.verify.action')}</Button>
              <Button
                type="primary"
                disabled={data.state === 'verification_failed'}
                onClick={() => void navigate(newCampaignAddress({ package: data.id }))}
              >
                {t('deployNow')}
              </Button>
            </>
          )}
        </div>
      }
    >
      {query.isError && !data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !data ? (
        <Skeleton active />
      ) : (
        <div className={css.stack}>
          <Facts
            items={[
              {
                label: t('state'),
                value: <StatusTag kind={signOfPackage(data.state)}>{t(`packageState.${data.state}`)}</StatusTag>,
              },
              {
                label: t('version'),
                value: (
                  <VersionText from={data.kind === 'delta' ? data.fromVersion : undefined} version={data.version} />
                ),
              },
              { label: t('orderNo'), value: formatNumber(data.orderNo) },
              { label: t('product'), value: <span dir="auto">{data.productName}</span> },
              { label: t('module'), value: <code className={css.code}>{data.module}</code> },
              { label: t('kind'), value: t(`packageKind.${data.kind}`) },
              { label: t('size'), value: formatBytes(data.size) },
              { label: t('devicesOn'), value: formatNumber(data.devices) },
              { label: t('signature'), value: data.keyName ?? t('unsigned') },
              { label: t('createdBy'), value: <span dir="auto">{data.createdBy}</span> },
              { label: t('createdAt'), value: <TimeText value={data.createdAt} mode="absolute" /> },
              { label: t('file'), value: <span dir="auto">{data.fileName}</span> },
              { label: 'SHA-256', value: <CopyId value={data.sha256} />, wide: true },
              ...(data.stateNote ? [{ label: t('stateNote'), value: data.stateNote, wide: true }] : []),
              ...(data.notes ? [{ label: t('notes'), value: <span dir="auto">{data.notes}</span>, wide: true }] : []),
              ...(Object.keys(data.ext).length > 0
                ? [
                    {
                      label: t('ext'),
                      wide: true,
                      value: (
                        <span className={own.ext}>
                          {Object.entries(data.ext).map(([key, value]) => (
                            <code key={key}>
                              {key} = {value}
                            </code>
                          ))}
                        </span>
                      ),
                    },
                  ]
                : []),
            ]}
          />
          <Campaigns id={id} />
          <PathFinder of={data} />
        </div>
      )}
    </Drawer>
  )
}

/** The last campaigns and trials of a package. */
function Campaigns({ id }: { id: string }) {
  const { t } = useTranslation('ota')
  const { data } = useRead(
    'otaCampaigns.list',
    { query: { packageId: id, limit: 5, total: '1' } },
    { refetchInterval: query => (query.state.data?.items.some(each => each.state === 'running') ? LIVE_MS : false) },
  )
  return (
    <section>
      <h3 className={css.heading}>{t('campaignsOfPackage')}</h3>
      {data?.items.length === 0 && <p className={css.muted}>{t('campaignsOfPackageNone')}</p>}
      <ul className={own.lines}>
        {(data?.items ?? []).map(each => (
          <li key={each.id} className={own.line}>
            <Link to={campaignAddress(each.id)} className={own.lineName} title={each.name} dir="auto">
              {each.name}
            </Link>
            <span className={css.muted}>{t(`campaignKind.${each.kind}`)}</span>
            <StatusTag kind={signOfCampaign(each.state)}>{t(`campaignState.${each.state}`)}</StatusTag>
            <ShareBar counts={each.counts} total={each.total} />
          </li>
        ))}
      </ul>
      {(data?.total ?? 0) > 5 && <Link to={listAddress('campaigns', { packageId: id })}>{t('allCampaigns')}</Link>}
    </section>
  )
}
