import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError, call } from '../../../lib/api-client.ts'
import { boot } from '../../../lib/boot.ts'
import { errorFacts } from '../../../lib/errors.ts'
import { endStep, finishStep, passkeysHere, type Step, signInWithPasskey } from '../step.ts'
import { Failure, Submit } from './form-parts.tsx'
import css from './sign-in.module.css'
import { SimulatedSms } from './simulated-sms.tsx'
import { TextField } from './text-field.tsx'
import { useCountdown } from './use-countdown.ts'
import { useSubmit } from './use-submit.ts'

const QrCode = lazy(async () => ({ default: (await import('../../../ui/qr-code.tsx')).QrCode }))

/** What the server still asks for after the first step; in the place of the sign-in form. */
export function SecondStep({ step, onDone }: { step: Step; onDone: () => void }) {
  const { t } = useTranslation('identity')
  const back = useRef<HTMLButtonElement>(null)
  const done = () => {
    endStep()
    onDone()
  }
  return (
    <section className={css.card} aria-labelledby="second-step-title" data-testid="second-step">
      <h2 className={css.title} id="second-step-title">
        {t(`step.${step.kind}.title`)}
      </h2>
      <p className={css.stepLead}>{t(`step.${step.kind}.lead`)}</p>
      {step.kind === 'factor' && <FactorForm step={step} onDone={done} />}
      {step.kind === 'setup' && <SetupForm ticket={step.ticket} onDone={done} />}
      {step.kind === 'password' && <NewPasswordForm step={step} onDone={done} />}
      <p className={css.links}>
        <button ref={back} type="button" className={css.textButton} onClick={endStep}>
          {t('step.back')}
        </button>
      </p>
    </section>
  )
}

/** A ticket that is used up leads back to the beginning, with the reason. */
function useStepSubmit(onDone: () => void) {
  const [over, setOver] = useState<string | null>(null)
  const submit = useSubmit(onDone, error => {
    if (!(error instanceof ApiError) || error.code !== 'auth.ticket_invalid') return false
    setOver(error.message)
    return true
  })
  return { ...submit, failure: over ?? submit.failure, over: over !== null }
}

function FactorForm({ step, onDone }: { step: Extract<Step, { kind: 'factor' }>; onDone: () => void }) {
  const { t } = useTranslation('identity')
  const methods = step.methods.filter(method => method !== 'passkey' || passkeysHere())
  const [method, setMethod] = useState(methods[0] ?? 'totp')
  const [text, setText] = useState('')
  const [missing, setMissing] = useState(false)
  const [sendFailure, setSendFailure] = useState<string | null>(null)
  const wait = useCountdown()
  const form = useRef<HTMLFormElement>(null)
  const { busy, failure, run, over } = useStepSubmit(onDone)
  useEffect(() => form.current?.querySelector<HTMLInputElement>('input')?.focus(), [method])
  const sends = method === 'sms' || method === 'mail'
  const send = async () => {
    setSendFailure(null)
    try {
      const { retryAfterSeconds } = await call('security.factorCode', {
        body: { ticket: step.ticket, method: method as 'sms' | 'mail' },
        interfaceType: 'postNoToken',
      })
      wait.start(retryAfterSeconds)
    } catch (error) {
      setSendFailure(errorFacts(error).message)
      if (error instanceof ApiError && error.retryAfterSeconds) wait.start(error.retryAfterSeconds)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (method === 'passkey') {
      void run(() => signInWithPasskey(step.ticket))
      return
    }
    setMissing(text.trim() === '')
    if (text.trim() === '') return
    const given = method === 'password' ? { password: text } : { code: text.trim() }
    void run(() => finishStep({ ticket: step.ticket, method, ...given }))
  }
  return (
    <form ref={form} onSubmit={submit} noValidate>
      {method !== 'passkey' && (
        <TextField
          label={t(`step.field.${method}`, { target: step.targets[method] ?? '' })}
          name={method === 'password' ? 'password' : 'code'}
          type={method === 'password' ? 'password' : 'text'}
          inputMode={method === 'password' || method === 'backup' ? 'text' : 'numeric'}
          autoComplete={method === 'password' ? 'current-password' : 'one-time-code'}
          maxLength={method === 'password' ? 256 : 16}
          value={text}
          error={missing ? t('step.empty') : null}
          onChange={event => setText(event.target.value)}
          suffix={
            sends && (
              <button
                type="button"
                className={css.send}
                disabled={wait.left > 0 || over}
                onClick={() => void send()}
                data-testid="send-step-code"
              >
                {wait.left > 0 ? t('sendAgain', { seconds: wait.left }) : t('send')}
              </button>
            )
          }
        />
      )}
      <Failure text={failure ?? sendFailure} />
      <Submit
        busy={busy}
        text={t(method === 'passkey' ? 'step.usePasskey' : 'signIn')}
        disabled={over}
        testId="step-submit"
      />
      {methods.length > 1 && (
        <fieldset className={css.stepWays} data-testid="step-ways">
          <legend>{t('step.otherWays')}</legend>
          {methods
            .filter(other => other !== method)
            .map(other => (
              <button
                key={other}
                type="button"
                className={css.textButton}
                onClick={() => {
                  setMethod(other)
                  setText('')
                  setMissing(false)
                }}
              >
                {t(`step.way.${other}`)}
              </button>
            ))}
        </fieldset>
      )}
      {sends && boot().demo && <SimulatedSms />}
    </form>
  )
}

function SetupForm({ ticket, onDone }: { ticket: string; onDone: () => void }) {
  const { t } = useTranslation('identity')
  const [secret, setSecret] = useState<{ secret: string; uri: string } | null>(null)
  const [code, setCode] = useState('')
  const [missing, setMissing] = useState(false)
  const [loadFailure, setLoadFailure] = useState<string | null>(null)
  const { busy, failure, run, over } = useStepSubmit(onDone)
  useEffect(() => {
    let gone = false
    call('security.factorSetup', { body: { ticket }, interfaceType: 'postNoToken' }).then(
      made => !gone && setSecret(made),
      (error: unknown) => !gone && setLoadFailure(errorFacts(error).message),
    )
    return () => {
      gone = true
    }
  }, [ticket])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setMissing(!/^\d{6}$/.test(code))
    if (/^\d{6}$/.test(code)) void run(() => finishStep({ ticket, method: 'totp', code }))
  }
  return (
    <form onSubmit={submit} noValidate>
      {secret && (
        <div className={css.stepSecret}>
          <Suspense fallback={<span className={css.qrSpace} />}>
            <QrCode value={secret.uri} label={t('step.qr')} />
          </Suspense>
          <code>{secret.secret.replace(/(.{4})/g, '$1 ').trim()}</code>
        </div>
      )}
      <TextField
        label={t('step.field.totp')}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={6}
        value={code}
        error={missing ? t('step.empty') : null}
        onChange={event => setCode(event.target.value.replace(/\D/g, ''))}
      />
      <Failure text={failure ?? loadFailure} />
      <Submit busy={busy} text={t('step.turnOn')} disabled={over || !secret} testId="step-submit" />
    </form>
  )
}

function NewPasswordForm({ step, onDone }: { step: Extract<Step, { kind: 'password' }>; onDone: () => void }) {
  const { t } = useTranslation('identity')
  const [password, setPassword] = useState('')
  const [fieldError, setFieldError] = useState<string | null>(null)
  const { busy, failure, run, over } = useStepSubmit(onDone)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if ([...password].length < step.minLength) {
      setFieldError(t('step.short', { min: step.minLength }))
      return
    }
    setFieldError(null)
    void run(async () => {
      try {
        await finishStep({ ticket: step.ticket, new_password: password })
      } catch (error) {
        const field = error instanceof ApiError ? error.fields.new_password : undefined
        if (field) setFieldError(field.message)
        throw error
      }
    })
  }
  return (
    <form onSubmit={submit} noValidate>
      <TextField
        label={t('step.newPassword')}
        name="new-password"
        type="password"
        autoComplete="new-password"
        maxLength={128}
        value={password}
        error={fieldError}
        onChange={event => setPassword(event.target.value)}
      />
      <Failure text={fieldError ? null : failure} />
      <Submit busy={busy} text={t('step.setPassword')} disabled={over} testId="step-submit" />
    </form>
  )
}
