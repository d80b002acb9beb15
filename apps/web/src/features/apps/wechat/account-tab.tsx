import type { WechatAccountView } from '@thingwright/contracts/wechat-accounts.contract'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ConfirmTyped } from '../../../ui/confirm-typed.tsx'
import { CopyButton } from '../../../ui/copy-id.tsx'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { type StatusKind, StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../apps.module.css'

const KIND: Record<WechatAccountView['steps'][number]['state'], StatusKind> = {
  open: 'neutral',
  ok: 'success',
  failed: 'error',
}

/** What to enter at WeChat, and each step with its test. */
export function AccountTab({ account, mayWrite }: { account: WechatAccountView; mayWrite: boolean }) {
  const { t } = useTranslation('apps')
  const [asking, setAsking] = useState(false)
  const remove = useAct('wechatAccounts.remove', { done: () => notify.success(t('removed')) })
  return (
    <div className={css.stack}>
      <Panel
        title={account.name}
        hint={t('wechat.enterHint')}
        actions={
          mayWrite && (
            <Button danger onClick={() => setAsking(true)}>
              {t('wechat.disconnect')}
            </Button>
          )
        }
      >
        <Facts
          items={[
            { label: 'AppID', value: <span className={css.mono}>{account.appId}</span> },
            ...(account.simulated
              ? [
                  {
                    label: t('simulator.wechat'),
                    value: <StatusTag kind="neutral">{t('simulator.mark')}</StatusTag>,
                  },
                ]
              : []),
            { label: t('wechat.mode'), value: t(`wechat.modes.${account.mode}`) },
            {
              label: t('wechat.lastMessage'),
              value: account.lastMessageAt ? <TimeText value={account.lastMessageAt} /> : t('wechat.never'),
            },
            {
              label: t('wechat.serverUrl'),
              wide: true,
              value: (
                <span>
                  <span className={css.mono}>{account.callbackUrl}</span> <CopyButton value={account.callbackUrl} />
                </span>
              ),
            },
          ]}
        />
        <p className={css.note}>{t('wechat.ipHint')}</p>
      </Panel>
      <Panel title={t('wechat.steps')} hint={t('wechat.stepsHint')}>
        <ul className={css.steps}>
          {account.steps.map(step => (
            <Step key={step.step} account={account} step={step} mayWrite={mayWrite} />
          ))}
        </ul>
      </Panel>
      <ConfirmTyped
        open={asking}
        title={t('wechat.disconnectTitle')}
        expected={account.name}
        confirmText={t('wechat.disconnect')}
        onConfirm={async () => {
          await remove.send({ params: { id: account.id } })
          setAsking(false)
        }}
        onCancel={() => setAsking(false)}
      >
        <p>{t('wechat.disconnectText')}</p>
      </ConfirmTyped>
    </div>
  )
}

function Step({
  account,
  step,
  mayWrite,
}: {
  account: WechatAccountView
  step: WechatAccountView['steps'][number]
  mayWrite: boolean
}) {
  const { t } = useTranslation('apps')
  const name = t(`wechat.step.${step.step}`)
  const test = useAct('wechatAccounts.test', {
    done: reply => {
      const now = reply.steps.find(each => each.step === step.step)
      if (now?.state === 'failed') notify.error(t('wechat.testFailed', { name, said: saidOf(now) }))
      else if (now?.state === 'ok') notify.success(t('wechat.testOk', { name }))
      else notify.warning(t('wechat.testOpen', { name }))
    },
  })
  const saidOf = ({ step: of, state, said }: typeof step) => {
    if (of === 'callback' && state === 'failed') return t(`wechat.callbackSaid.${said as 'signature'}`, said)
    if (of === 'template' && state !== 'failed' && said !== '')
      return t('wechat.templates', { count: Number(said), text: formatNumber(Number(said)) })
    return said
  }
  return (
    <li data-step={step.step}>
      <span className={css.stepText}>
        <b>
          {name}
          <StatusTag kind={KIND[step.state]}>{t(`wechat.stepState.${step.state}`)}</StatusTag>
        </b>
        <small>{t(`wechat.stepHelp.${step.step}`)}</small>
        {step.at && (
          <small>
            {[saidOf(step)].filter(Boolean).join('')} <TimeText value={step.at} />
          </small>
        )}
      </span>
      {mayWrite && (
        <Button
          aria-label={t('wechat.testOf', { name })}
          loading={test.pending}
          onClick={() => void test.run({ params: { id: account.id }, body: { step: step.step } })}
        >
          {t('wechat.test')}
        </Button>
      )}
    </li>
  )
}
