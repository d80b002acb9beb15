import type { CardAction, SimCardView } from '@thingwright/contracts/sim-cards.contract'
import { Alert, Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { type StatusKind, StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import css from './sim-cards.module.css'

const KIND: Record<'ok' | 'fault' | 'unknown', StatusKind> = { ok: 'success', fault: 'error', unknown: 'neutral' }

/** Asks the carrier step by step why a card passes no data, and offers what could help. */
export function CardCheck({ card, onAct }: { card: SimCardView; onAct: (action: CardAction) => void }) {
  const { t } = useTranslation('sim-cards')
  const mayOperate = useMay('simCards.operate')
  const check = useAct('simCards.diagnose', { own: false, always: true, notice: false })
  const steps = check.reply?.steps ?? []
  const cause = steps.find(({ verdict }) => verdict === 'fault')
  return (
    <div className={css.stack}>
      <p className={css.quiet}>{t('checkLead')}</p>
      <div className={css.buttons}>
        <Button type="primary" loading={check.pending} onClick={() => void check.run({ params: { id: card.id } })}>
          {t('checkStart')}
        </Button>
        {check.reply && <TimeText value={check.reply.at} />}
      </div>
      {check.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(check.error).message} />}
      {check.reply && (
        <Alert
          type={cause ? 'error' : 'success'}
          showIcon
          role="status"
          title={cause ? t('checkCause', { cause: wordOf(cause) }) : t('checkFine')}
        />
      )}
      <ol className={css.steps}>
        {steps.map(step => (
          <li key={step.step} className={css.step}>
            <span>
              <StatusTag kind={KIND[step.verdict]}>{t(`checks.${step.step}`)}</StatusTag> {wordOf(step)}
            </span>
            {step.act && mayOperate && (
              <Button size="small" onClick={() => onAct(step.act!)}>
                {t(`actions.${step.act}`)}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </div>
  )

  function wordOf({ code, params }: (typeof steps)[number]): string {
    if (code.startsWith('state_'))
      return t('checkWords.state', {
        state: t(`states.${code.slice(6) as SimCardView['state']}`),
        raw: params.raw ?? '',
      })
    return t(`checkWords.${code}`, params as Record<string, string>)
  }
}
