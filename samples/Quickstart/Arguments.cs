using System.Diagnostics.CodeAnalysis;

namespace Quickstart;

/// <summary>What stands on the command line.</summary>
internal sealed record Arguments(bool Help, string? ConnectionString)
{
    public const string Usage = """
        A tour of Loxo: a small shop's tables, and what a program does with them.

        Usage: dotnet run --project samples/Quickstart [-- OPTIONS]

          --connection "..."   Use this database instead of starting a PostgreSQL for the occasion. Either form will do:
                               "Host=localhost;Username=me;Password=secret;Database=test" or "postgres://me:secret@localhost/test".
                               The user must be allowed to create a schema. All work is done in a new schema of its own,
                               which is dropped at the end; nothing else is touched.
          --help               Show this text.

        Without --connection a PostgreSQL is looked for on this machine. If there is none, one is fetched with npm,
        or installed with apt-get when running as root on Debian or Ubuntu. Its data is removed at the end.
        """;

    public static bool TryParse(string[] args, [NotNullWhen(true)] out Arguments? arguments, [NotNullWhen(false)] out string? complaint)
    {
        (arguments, complaint) = args switch
        {
            [] => (new Arguments(false, null), null),
            ["--help" or "-h"] => (new Arguments(true, null), null),
            ["--connection", var text] when text.Length > 0 => (new Arguments(false, text), null),
            ["--connection", ..] => (null, "--connection needs one connection string after it, in quotes."),
            [var first, ..] => ((Arguments?)null, $"Unknown argument '{first}'."),
        };
        return arguments is not null;
    }
}
