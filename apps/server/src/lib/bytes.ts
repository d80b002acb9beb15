/** `1.5 MB` from bytes, in powers of 1,024: as the console writes them (`lib/format.ts` there), so that figures agree. */
export function showBytes(bytes: number): string {
  const steps = ['B', 'KB', 'MB', 'GB', 'TB']
  let value = bytes
  let step = 0
  while (value >= 1024 && step < steps.length - 1) {
    value /= 1024
    step += 1
  }
  return `${step === 0 ? value : Number(value.toFixed(value < 10 ? 2 : 1))} ${steps[step]}`
}
