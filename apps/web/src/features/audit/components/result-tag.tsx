import { useTranslation } from 'react-i18next'
import { type StatusKind, StatusTag } from '../../../ui/status-tag.tsx'

const SIGN: Record<string, StatusKind> = { ok: 'success', refused: 'warning', failed: 'error', half: 'processing' }

export function ResultTag({ result }: { result: 'ok' | 'refused' | 'failed' | 'half' }) {
  const { t } = useTranslation('audit')
  return <StatusTag kind={SIGN[result] ?? 'neutral'}>{t(`result.${result}`)}</StatusTag>
}
