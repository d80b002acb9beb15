import type { AppletView } from '@thingwright/contracts/wechat-applets.contract'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { download } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../apps.module.css'
import { AppletFrame, PAGES } from './applet-frame.tsx'
import { TestersPanel } from './testers-panel.tsx'
import { VersionsPanel } from './versions-panel.tsx'

/** What WeChat knows of the mini-program, the versions of its code, and who tests it. */
export function InfoPage() {
  const { t } = useTranslation('apps')
  return (
    <AppletFrame>
      {(applet, { simulated }) =>
        applet?.appId ? (
          <Content applet={applet} simulated={simulated} />
        ) : (
          <Panel>
            <EmptyState
              title={t('applet.noneTitle')}
              description={t('applet.noneText')}
              action={<Link to={PAGES.authorize}>{t('applet.toAuthorize')}</Link>}
            />
          </Panel>
        )
      }
    </AppletFrame>
  )
}

function Content({ applet, simulated }: { applet: AppletView; simulated: boolean }) {
  const { t } = useTranslation('apps')
  const mayWrite = useMay('wechatApplets.refresh')
  const refresh = useAct('wechatApplets.refresh', { done: () => notify.success(t('applet.refreshed')) })
  const domains = useAct('wechatApplets.setDomains', { done: () => notify.success(t('saved')) })
  const { info } = applet
  const isManaged = applet.mode === 'platform' && applet.state === 'authorized'
  const host = window.location.hostname
  return (
    <div className={css.stack}>
      <Panel
        title={info?.name || applet.appId}
        hint={applet.infoAt ? t('applet.infoHint') : undefined}
        actions={
          <>
            <PackageButton applet={applet} />
            {mayWrite && isManaged && (
              <>
                <Button
                  loading={domains.pending}
                  onClick={() => void domains.run({ params: { id: applet.id }, body: { host } })}
                >
                  {t('applet.setDomains')}
                </Button>
                <Button loading={refresh.pending} onClick={() => void refresh.run({ params: { id: applet.id } })}>
                  {t('applet.refresh')}
                </Button>
              </>
            )}
          </>
        }
      >
        <Facts
          items={[
            { label: 'AppID', value: <span className={css.mono}>{applet.appId}</span> },
            { label: t('applet.originalId'), value: info?.userName || '–' },
            { label: t('applet.principal'), value: info?.principal || '–' },
            {
              label: t('applet.verified'),
              value: (
                <StatusTag kind={info?.verified ? 'success' : 'neutral'}>
                  {t(info?.verified ? 'applet.isVerified' : 'applet.notVerified')}
                </StatusTag>
              ),
            },
            {
              label: t('applet.service'),
              value: (
                <StatusTag kind={info?.status ? 'warning' : 'success'}>
                  {info?.status ? t(`applet.status.${info.status}`, info.status) : t('applet.normal')}
                </StatusTag>
              ),
            },
            { label: t('applet.privacy'), value: t(info?.privacy ? 'applet.set' : 'applet.notSet') },
            { label: t('applet.categories'), value: info?.categories.join(', ') || '–' },
            { label: t('applet.infoAt'), value: applet.infoAt ? <TimeText value={applet.infoAt} /> : '–' },
            {
              label: t('applet.domains'),
              wide: true,
              value: (
                <span className={css.mono}>
                  {[...(info?.requestDomains ?? []), ...(info?.socketDomains ?? [])].join(', ') || '–'}
                </span>
              ),
            },
          ]}
        />
      </Panel>
      {applet.mode === 'own' ? (
        <Panel>
          <p className={css.note}>{t('applet.ownCode')}</p>
        </Panel>
      ) : (
        <>
          <VersionsPanel applet={applet} isManaged={isManaged} simulated={simulated} />
          <TestersPanel applet={applet} isManaged={isManaged} />
        </>
      )}
    </div>
  )
}

/** The source of the mini-program, with the company's own values filled in. */
function PackageButton({ applet }: { applet: AppletView }) {
  const { t } = useTranslation('apps')
  const { attempt, pending } = useWork()
  const save = () =>
    attempt(() => download('wechatApplets.package', `${applet.appId}.zip`, { params: { id: applet.id } }))
  return (
    <Button loading={pending} onClick={() => void save()}>
      {t('applet.package')}
    </Button>
  )
}
