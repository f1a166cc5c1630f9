import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react()],
  build: { target: "es2022", assetsInlineLimit: 0, chunkSizeWarningLimit: 700 },
  css: { modules: { localsConvention: "camelCaseOnly" } },
  test: { environment: "node", include: ["tests/**/*.test.{ts,tsx}"], css: false },
});
