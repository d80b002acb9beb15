import { Alert, Input, Modal } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import css from './command-kit.module.css'
import { type OpenAsk, useCommandAsk } from './send-guarded.ts'

/** Asks for the second yes, or for the PIN, whenever a dangerous command needs it. */
export function CommandAskHost() {
  const open = useCommandAsk(s => s.open)
  return open ? <CommandAsk question={open} /> : null
}

function CommandAsk({ question }: { question: OpenAsk }) {
  const { t } = useTranslation('command-kit')
  const id = useId()
  const [pin, setPin] = useState('')
  const asksPin = question.kind === 'pin'
  const usable = !asksPin || /^[0-9]{4,12}$/.test(pin)
  const answer = () => usable && question.answer({ acknowledged: true, ...(asksPin ? { pin } : {}) })
  return (
    <Modal
      open
      width={420}
      title={t('dangerTitle')}
      okText={t('dangerOk')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, disabled: !usable }}
      onOk={answer}
      onCancel={() => question.answer(null)}
      destroyOnHidden
      data-testid="command-ask"
    >
      <p className={css.lead}>{question.text || t('dangerLead')}</p>
      {question.wrong && <Alert type="error" showIcon title={t('pinWrong')} className={css.gap ?? ''} />}
      {asksPin && (
        <form
          onSubmit={event => {
            event.preventDefault()
            answer()
          }}
        >
          <label htmlFor={id} className={css.label}>
            {t('pin')}
          </label>
          <Input.Password
            id={id}
            autoFocus
            autoComplete="off"
            inputMode="numeric"
            maxLength={12}
            value={pin}
            onChange={event => setPin(event.target.value)}
          />
        </form>
      )}
    </Modal>
  )
}
