import type { AppletPlatform, AppletView } from '@thingwright/contracts/wechat-applets.contract'
import { Alert, Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ConfirmTyped } from '../../../ui/confirm-typed.tsx'
import { CopyButton } from '../../../ui/copy-id.tsx'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { QrCode } from '../../../ui/qr-code.tsx'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../apps.module.css'
import { SimulatedAct } from '../simulated-act.tsx'
import { AppletFrame } from './applet-frame.tsx'

const TICKET_KIND = { ready: 'success', expired: 'error', waiting: 'warning', unset: 'neutral' } as const

/** Whether the platform can begin an authorisation, and if not, what it lacks. */
function ticketOf({ ready, configured, ticketAt }: AppletPlatform): keyof typeof TICKET_KIND {
  if (ready) return 'ready'
  if (!configured) return 'unset'
  return ticketAt === null ? 'waiting' : 'expired'
}

/** How the company's mini-program comes under management: by its owner's scan, or with its own app id. */
export function AuthorizePage() {
  return <AppletFrame>{(applet, platform) => <Content applet={applet} platform={platform} />}</AppletFrame>
}

function Content({ applet, platform }: { applet: AppletView | null; platform: AppletPlatform }) {
  const { t } = useTranslation('apps')
  const [search] = useSearchParams()
  const mayWrite = useMay('wechatApplets.authorize')
  const [asking, setAsking] = useState(false)
  const [own, setOwn] = useState(false)
  // The link is used up then.
  const [scanned, setScanned] = useState(false)
  const begin = useAct('wechatApplets.authorize', { done: () => setScanned(false) })
  const scan = useAct('wechatSimulator.authorize', {
    touches: ['wechatApplets'],
    done: () => {
      setScanned(true)
      notify.success(t('applet.done'))
    },
  })
  const remove = useAct('wechatApplets.remove', { done: () => notify.success(t('removed')) })
  const outcome = search.get('authorized')
  const said = search.get('said')
  const begun = scanned ? undefined : begin.reply
  const ticket = ticketOf(platform)
  return (
    <div className={css.stack}>
      {outcome && (
        <Alert
          type={outcome === '1' ? 'success' : 'error'}
          showIcon
          role="status"
          title={t(outcome === '1' ? 'applet.done' : 'applet.notDone')}
          description={
            outcome === '1'
              ? undefined
              : [t(`applet.outcome.${outcome.replace('.', '_')}`, ''), said].filter(Boolean).join(' · ')
          }
        />
      )}
      {applet?.state === 'invalid' && (
        <Alert
          type="error"
          showIcon
          role="alert"
          title={t('applet.invalidTitle')}
          description={applet.fault ?? undefined}
        />
      )}
      <Panel title={t('applet.platform')} hint={t('applet.platformHint')}>
        {ticket !== 'ready' && (
          <Alert
            type="warning"
            showIcon
            role="status"
            className={css.alert ?? ''}
            title={t(`applet.ticketNote.${ticket}`)}
          />
        )}
        <Facts
          items={[
            {
              label: t('applet.ticket'),
              value: <StatusTag kind={TICKET_KIND[ticket]}>{t(`applet.${ticket}`)}</StatusTag>,
            },
            ...(platform.simulated
              ? [
                  {
                    label: t('simulator.wechat'),
                    value: <StatusTag kind="neutral">{t('simulator.mark')}</StatusTag>,
                  },
                ]
              : []),
            {
              label: t('applet.ticketAt'),
              value: platform.ticketAt ? <TimeText value={platform.ticketAt} /> : '–',
            },
            {
              label: t('applet.eventUrl'),
              wide: true,
              value: (
                <span>
                  <span className={css.mono}>{platform.eventUrl}</span> <CopyButton value={platform.eventUrl} />
                </span>
              ),
            },
          ]}
        />
      </Panel>
      <Panel
        title={t('applet.authorization')}
        hint={t('applet.authorizationHint')}
        actions={
          mayWrite && (
            <>
              <Button onClick={() => setOwn(true)}>{t('applet.useOwn')}</Button>
              <Button
                type="primary"
                disabled={!platform.ready}
                loading={begin.pending}
                onClick={() => void begin.run()}
              >
                {t(applet?.authorizedAt ? 'applet.again' : 'applet.begin')}
              </Button>
            </>
          )
        }
      >
        {begun && (
          <div className={css.address}>
            <QrCode value={begun.mobileUrl} label={t('applet.scanQr')} size={160} />
            {platform.simulated ? (
              <SimulatedAct>
                <Button loading={scan.pending} onClick={() => void scan.run({ body: { address: begun.url } })}>
                  {t('simulator.authorize')}
                </Button>
              </SimulatedAct>
            ) : (
              <Button type="primary" href={begun.url} target="_blank" rel="noreferrer">
                {t('applet.openWechat')}
              </Button>
            )}
            <span className={css.note}>
              {t('applet.until')} <TimeText value={begun.expiresAt} />
            </span>
          </div>
        )}
        {applet ? (
          <Facts
            items={[
              { label: 'AppID', value: <span className={css.mono}>{applet.appId ?? '–'}</span> },
              { label: t('applet.mode'), value: t(`applet.modes.${applet.mode}`) },
              {
                label: t('applet.authorizedAt'),
                value: applet.authorizedAt ? <TimeText value={applet.authorizedAt} /> : '–',
              },
              {
                label: t('applet.permissions'),
                wide: true,
                value: applet.permissions.map(id => t(`applet.permission.${id}`, String(id))).join(', ') || '–',
              },
            ]}
          />
        ) : (
          <p className={css.note}>{t('applet.empty')}</p>
        )}
        {applet && mayWrite && (
          <div className={css.foot}>
            <Button danger onClick={() => setAsking(true)}>
              {t('applet.forget')}
            </Button>
          </div>
        )}
      </Panel>
      {applet && (
        <ConfirmTyped
          open={asking}
          title={t('applet.forget')}
          expected={applet.appId ?? t('applet.title')}
          confirmText={t('applet.forget')}
          onConfirm={async () => {
            await remove.send({ params: { id: applet.id } })
            setAsking(false)
          }}
          onCancel={() => setAsking(false)}
        >
          <p>{t('applet.forgetText')}</p>
        </ConfirmTyped>
      )}
      {own && <OwnDrawer onClose={() => setOwn(false)} />}
    </div>
  )
}

function OwnDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('apps')
  const set = useAct('wechatApplets.setOwn')
  return (
    <FormDrawer
      title={t('applet.useOwn')}
      intro={<p>{t('applet.ownText')}</p>}
      fields={[
        {
          kind: 'string',
          key: 'appId',
          label: 'AppID',
          required: true,
          mono: true,
          maxLength: 18,
          pattern: /^wx[0-9a-zA-Z]{16}$/,
          patternText: t('wechat.appIdRule'),
        },
        {
          kind: 'string',
          key: 'appSecret',
          label: 'AppSecret',
          required: true,
          secret: true,
          minLength: 16,
          maxLength: 64,
        },
      ]}
      initial={{}}
      submitText={t('save')}
      onSubmit={async values => {
        const reply = await set.send({ body: values as Body<'wechatApplets.setOwn'> })
        if (reply.state === 'authorized') notify.success(t('saved'))
        else notify.error(t('applet.ownFailed', { said: reply.fault ?? '' }))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
