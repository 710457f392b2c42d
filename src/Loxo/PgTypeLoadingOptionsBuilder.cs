namespace Loxo;

/// <summary>Decides whether types are looked up; see <see cref="PgDataSourceBuilderBase{TBuilder}.ConfigureTypeLoading"/>.</summary>
/// <remarks>Each type is looked up when it is met first, so that there is nothing to leave out for the sake of a faster start.</remarks>
public sealed class PgTypeLoadingOptionsBuilder
{
    private readonly PgConnectionStringBuilder _connectionString;

    internal PgTypeLoadingOptionsBuilder(PgConnectionStringBuilder connectionString) => _connectionString = connectionString;

    /// <summary>Nothing: a table's row type is looked up when it is met. It is here for programs that called it before.</summary>
    /// <param name="enable">Of no effect.</param>
    public PgTypeLoadingOptionsBuilder EnableTableCompositesLoading(bool enable = true) => this;

    /// <summary>Whether types that are not built in are looked up at all; a server that is not PostgreSQL may not answer. True by default.
    /// </summary>
    /// <param name="enable">False is <see cref="ServerCompatibilityMode.NoTypeLoading"/>.</param>
    public PgTypeLoadingOptionsBuilder EnableTypeLoading(bool enable = true)
    {
#pragma warning disable CS0618 // the keyword is obsolete because this method says it better
        _connectionString.ServerCompatibilityMode = enable ? ServerCompatibilityMode.None : ServerCompatibilityMode.NoTypeLoading;
#pragma warning restore CS0618
        return this;
    }

    /// <summary>Nothing: types of every schema are looked up when they are met. It is here for programs that called it before.</summary>
    /// <param name="schemas">Of no effect.</param>
    public PgTypeLoadingOptionsBuilder SetTypeLoadingSchemas(params IEnumerable<string>? schemas) => this;
}
