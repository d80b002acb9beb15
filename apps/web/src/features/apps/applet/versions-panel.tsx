import type { AppletVersionView, AppletView } from '@thingwright/contracts/wechat-applets.contract'
import { Button, Modal, Skeleton } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { send } from '../../../lib/api/send.ts'
import { type Body, urlOf } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { personName } from '../../../lib/person-name.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { Panel } from '../../../ui/panel.tsx'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { type StatusKind, StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../apps.module.css'
import { AuditButtons } from './audit-buttons.tsx'

const KIND: Record<AppletVersionView['state'], StatusKind> = {
  uploaded: 'neutral',
  auditing: 'processing',
  delayed: 'warning',
  refused: 'error',
  withdrawn: 'disabled',
  passed: 'success',
  released: 'online',
  replaced: 'disabled',
  rolled_back: 'disabled',
}

/** Versions of the code, from the upload to the release and back. */
export function VersionsPanel({
  applet,
  isManaged,
  simulated,
}: {
  applet: AppletView
  isManaged: boolean
  simulated: boolean
}) {
  const { t } = useTranslation('apps')
  const params = { id: applet.id }
  const versions = useRead('wechatApplets.versions', { params })
  const mayWrite = useMay('wechatApplets.upload') && isManaged
  const [uploading, setUploading] = useState(false)
  const [trial, setTrial] = useState(false)
  const [asking, setAsking] = useState<{ act: 'release' | 'rollback' | 'undo'; version?: AppletVersionView } | null>(
    null,
  )
  const submit = useAct('wechatApplets.submit', { done: () => notify.success(t('applet.did.submit')) })
  const undo = useAct('wechatApplets.undo', { done: () => notify.success(t('applet.did.undo')) })
  const release = useAct('wechatApplets.release', { done: () => notify.success(t('applet.did.release')) })
  const rollback = useAct('wechatApplets.rollback', { done: () => notify.success(t('applet.did.rollback')) })
  const items = versions.data?.items ?? []
  // A version before that was not released from here is known to WeChat alone.
  const question =
    asking?.act === 'rollback' && !items.some(({ state }) => state === 'replaced') ? 'rollbackUnknown' : asking?.act
  const carryOut = async () => {
    if (!asking) return
    const versionId = asking.version?.id ?? ''
    if (asking.act === 'release') await release.run({ params: { ...params, versionId } })
    else if (asking.act === 'undo') await undo.run({ params: { ...params, versionId } })
    else await rollback.run({ params })
    setAsking(null)
  }
  return (
    <Panel
      title={t('applet.versions')}
      hint={t('applet.versionsHint')}
      actions={
        mayWrite && (
          <>
            <Button disabled={items.length === 0} onClick={() => setTrial(true)}>
              {t('applet.trial')}
            </Button>
            <Button
              danger
              disabled={!items.some(item => item.state === 'released')}
              onClick={() => setAsking({ act: 'rollback' })}
            >
              {t('applet.rollback')}
            </Button>
            <Button type="primary" onClick={() => setUploading(true)}>
              {t('applet.upload')}
            </Button>
          </>
        )
      }
    >
      {versions.isError ? (
        <ErrorState error={versions.error} onRetry={() => void versions.refetch()} />
      ) : !versions.data ? (
        <Skeleton active />
      ) : items.length === 0 ? (
        <EmptyState title={t('applet.noVersions')} description={t('applet.noVersionsText')} />
      ) : (
        <ul className={css.steps}>
          {items.map(item => (
            <li key={item.id} data-version={item.userVersion}>
              <span className={css.stepText}>
                <b>
                  {item.userVersion}
                  <StatusTag kind={KIND[item.state]}>{t(`applet.versionStates.${item.state}`)}</StatusTag>
                </b>
                <small dir="auto">{item.userDesc}</small>
                {item.reason && <small dir="auto">{t('applet.reason', { reason: item.reason })}</small>}
                <small>
                  {personName(item.byName)} · <TimeText value={item.createdAt} />
                </small>
              </span>
              {mayWrite && ['uploaded', 'refused', 'withdrawn'].includes(item.state) && (
                <Button
                  loading={submit.pending}
                  onClick={() => void submit.run({ params: { ...params, versionId: item.id }, body: {} })}
                >
                  {t('applet.submit')}
                </Button>
              )}
              {mayWrite && ['auditing', 'delayed'].includes(item.state) && (
                <Button onClick={() => setAsking({ act: 'undo', version: item })}>{t('applet.undo')}</Button>
              )}
              {mayWrite && simulated && ['auditing', 'delayed'].includes(item.state) && (
                <AuditButtons appletId={applet.id} />
              )}
              {mayWrite && item.state === 'passed' && (
                <Button type="primary" onClick={() => setAsking({ act: 'release', version: item })}>
                  {t('applet.release')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      <Modal
        open={asking !== null}
        title={asking ? t(`applet.${asking.act}`) : ''}
        okText={asking ? t(`applet.${asking.act}`) : ''}
        cancelText={t('cancel')}
        okButtonProps={{ loading: release.pending || undo.pending || rollback.pending }}
        onOk={() => void carryOut()}
        onCancel={() => setAsking(null)}
      >
        {asking && <p>{t(`applet.ask.${question}`)}</p>}
      </Modal>
      {uploading && <UploadDrawer applet={applet} onClose={() => setUploading(false)} />}
      {trial && <TrialDialog applet={applet} simulated={simulated} onClose={() => setTrial(false)} />}
    </Panel>
  )
}

function UploadDrawer({ applet, onClose }: { applet: AppletView; onClose: () => void }) {
  const { t } = useTranslation('apps')
  const params = { id: applet.id }
  const templates = useRead('wechatApplets.templates', { params })
  const upload = useAct('wechatApplets.upload')
  return (
    <FormDrawer
      title={t('applet.upload')}
      intro={templates.error && <ErrorState error={templates.error} onRetry={() => void templates.refetch()} />}
      fields={[
        {
          kind: 'enum',
          key: 'templateId',
          label: t('applet.template'),
          required: true,
          loading: templates.isFetching,
          options: (templates.data?.items ?? []).map(item => ({
            value: item.id,
            label: `${item.version} · ${item.description}`,
          })),
        },
        {
          kind: 'string',
          key: 'userVersion',
          label: t('applet.userVersion'),
          required: true,
          maxLength: 64,
          pattern: /^[0-9A-Za-z.]+$/,
          patternText: t('applet.userVersionRule'),
        },
        { kind: 'string', key: 'userDesc', label: t('applet.userDesc'), required: true, maxLength: 100 },
        {
          kind: 'array',
          key: 'ext',
          label: t('applet.ext'),
          help: t('applet.extHelp'),
          maxItems: 20,
          fresh: () => ({ key: '', value: '' }),
          element: {
            kind: 'object',
            key: '',
            label: '',
            fields: [
              { kind: 'string', key: 'key', label: t('applet.extKey'), required: true, maxLength: 64, half: true },
              { kind: 'string', key: 'value', label: t('applet.extValue'), required: true, maxLength: 512, half: true },
            ],
          },
        },
      ]}
      initial={{}}
      submitText={t('applet.upload')}
      onSubmit={async ({ ext, ...values }) => {
        const given = (ext ?? []) as { key: string; value: string }[]
        const more = given.length > 0 ? { ext: Object.fromEntries(given.map(({ key, value }) => [key, value])) } : {}
        await upload.send({ params, body: { ...values, ...more } as Body<'wechatApplets.upload'> })
        notify.success(t('applet.did.upload'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}

function TrialDialog({ applet, simulated, onClose }: { applet: AppletView; simulated: boolean; onClose: () => void }) {
  const { t } = useTranslation('apps')
  const [address, setAddress] = useState<string | null>(null)
  const { attempt, error } = useWork({ notice: false })
  useEffect(() => {
    let made: string | null = null
    void attempt(async () => {
      const url = urlOf('/api/v1/wechat-applets/{id}/trial-qr', { id: applet.id }, {})
      const reply = await send({ method: 'GET', url, headers: new Headers() })
      made = URL.createObjectURL(await reply.blob())
      setAddress(made)
    })
    return () => {
      if (made) URL.revokeObjectURL(made)
    }
  }, [applet.id, attempt])
  return (
    <Modal open title={t('applet.trial')} footer={null} onCancel={onClose}>
      <div className={css.address}>
        {error !== null ? (
          <ErrorState error={error} />
        ) : address ? (
          <img src={address} alt={t('applet.trialQr')} width={200} height={200} />
        ) : (
          <Skeleton.Image active />
        )}
        {simulated && <StatusTag kind="neutral">{t('simulator.mark')}</StatusTag>}
        <span className={css.note}>{t('applet.trialNote')}</span>
      </div>
    </Modal>
  )
}
