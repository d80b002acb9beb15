import fc from 'fast-check'

/**
 * fast-check with one seed for everybody: a run that was green is green again. Others by hand, before a release say:
 * `VITEST_FUZZ_SEED=$RANDOM npx vitest run`; what one of them finds becomes an example of its own.
 */
const { env } = import.meta as unknown as { env: Record<string, string | undefined> }
fc.configureGlobal({ seed: Number(env.VITEST_FUZZ_SEED ?? 20_260_101) })

export default fc
