import { openStorage } from "../../src/storage/open-storage.ts";
import type { WholeStorage } from "../../src/storage/table.ts";
import { silentLog } from "./recorded-log.ts";
import { useFixture } from "./use-fixture.ts";

export const useStorage = (): WholeStorage =>
  useFixture(
    () => openStorage("sqlite://:memory:", silentLog),
    (storage) => storage.close(),
  );
