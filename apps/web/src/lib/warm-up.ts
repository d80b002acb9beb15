let work: () => void = () => {}

/** The app says what is worth downloading before it is needed. */
export function setWarmUp(download: () => void): void {
  work = download
}

/** Called when somebody is about to enter the console: its frame arrives while the sign-in is still being answered. */
export function warmUp(): void {
  work()
}
