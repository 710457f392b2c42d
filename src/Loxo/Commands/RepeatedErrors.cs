namespace Loxo.Commands;

/// <summary>Commands that cannot run for many rows; nothing of them is sent.</summary>
internal static class RepeatedErrors
{
    public static NotSupportedException SeveralStatements(int count) => new(
        $"The command has {count} statements, and ExecuteMany runs a single one for many rows. Run each of them by itself, or use a "
        + "PgBatch.");

    public static NotSupportedException Outputs() => new(
        "ExecuteMany does not fill output parameters. Make them input parameters, or run the command once for each row.");

    public static PgException Copy() => new(
        "COPY cannot run for many rows: use BeginBinaryImport.", PgErrorCode.NotSupported);
}
