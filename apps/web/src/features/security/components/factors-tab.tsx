import { OTHER_FACTORS } from '@thingwright/contracts/security.words'
import { Alert, Button, Switch } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Reply } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { Panel } from '../../../ui/panel.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { useOverview } from '../hooks.ts'
import css from '../security.module.css'
import { Loaded } from './loaded.tsx'
import { Row } from './row.tsx'

const TotpDialog = lazy(async () => ({ default: (await import('./totp-dialog.tsx')).TotpDialog }))
const BackupCodesDialog = lazy(async () => ({ default: (await import('./backup-codes.tsx')).BackupCodesDialog }))

type Other = 'passkey' | 'sms' | 'mail'

export function FactorsTab() {
  const { t } = useTranslation('security')
  const overview = useOverview()
  const [asked, setAsked] = useState<Other | null>(null)
  const [begun, setBegun] = useState<Reply<'security.totpBegin'> | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)

  const begin = useAct('security.totpBegin', { done: setBegun })
  const removeTotp = useAct('security.totpRemove', { done: () => notify.success(t('factors.turnedOff')) })
  const backup = useAct('security.backupCodes', { done: ({ backupCodes }) => setCodes(backupCodes) })
  const set = useAct('security.setFactors', {
    done: ({ backupCodes }, { body: { factors } }) => {
      if (backupCodes) setCodes(backupCodes)
      const on = OTHER_FACTORS.some(each => each === asked && factors.includes(each))
      notify.success(t(on ? 'factors.turnedOn' : 'factors.turnedOff'))
    },
  })
  const toggle = (data: Reply<'security.overview'>, factor: Other, on: boolean) => {
    setAsked(factor)
    const before = OTHER_FACTORS.filter(each => data.factors.includes(each))
    return set.run({ body: { factors: on ? [...before, factor] : before.filter(each => each !== factor) } })
  }
  return (
    <Loaded query={overview}>
      {data => (
        <>
          {data.secondFactorRequired && (
            <Alert
              type={data.factors.length > 0 ? 'info' : 'warning'}
              showIcon
              title={t(data.factors.length > 0 ? 'factors.required' : 'factors.requiredNow')}
            />
          )}
          <Panel title={t('factors.title')} hint={t('factors.hint')} flush>
            <ul className={css.rows}>
              <Row
                title={t('factor.totp')}
                text={t('factors.totpText')}
                state={<OnOff on={data.totp} />}
                actions={
                  <>
                    <Button loading={begin.pending} onClick={() => void begin.run()}>
                      {t(data.totp ? 'factors.replace' : 'factors.setUp')}
                    </Button>
                    {data.totp && (
                      <Button danger loading={removeTotp.pending} onClick={() => void removeTotp.run()}>
                        {t('factors.turnOff')}
                      </Button>
                    )}
                  </>
                }
              />
              {OTHER_FACTORS.map(factor => {
                const possible = data.factorsPossible.includes(factor)
                return (
                  <Row
                    key={factor}
                    title={t(`factor.${factor}`)}
                    text={possible ? t(`factors.${factor}Text`) : t(`factors.${factor}Missing`)}
                    state={<OnOff on={data.factors.includes(factor)} />}
                    actions={
                      <Switch
                        checked={data.factors.includes(factor)}
                        disabled={!possible}
                        loading={set.pending && asked === factor}
                        aria-label={t(`factor.${factor}`)}
                        onChange={on => void toggle(data, factor, on)}
                      />
                    }
                  />
                )
              })}
              <Row
                title={t('factor.backup')}
                text={t('factors.backupText')}
                state={
                  <StatusTag
                    kind={data.backupCodesLeft === 0 ? 'disabled' : data.backupCodesLeft < 4 ? 'warning' : 'success'}
                  >
                    {t('factors.backupLeft', { count: data.backupCodesLeft })}
                  </StatusTag>
                }
                actions={
                  <Button
                    loading={backup.pending}
                    disabled={data.factors.length === 0}
                    onClick={() => void backup.run()}
                  >
                    {t('factors.backupNew')}
                  </Button>
                }
              />
            </ul>
          </Panel>
          <Suspense>
            {begun && (
              <TotpDialog
                begun={begun}
                onClose={() => setBegun(null)}
                onDone={backupCodes => {
                  setBegun(null)
                  setCodes(backupCodes)
                  notify.success(t('factors.turnedOn'))
                }}
              />
            )}
            {codes && <BackupCodesDialog codes={codes} onClose={() => setCodes(null)} />}
          </Suspense>
        </>
      )}
    </Loaded>
  )
}

function OnOff({ on }: { on: boolean }) {
  const { t } = useTranslation('security')
  return <StatusTag kind={on ? 'success' : 'disabled'}>{t(on ? 'on' : 'off')}</StatusTag>
}
