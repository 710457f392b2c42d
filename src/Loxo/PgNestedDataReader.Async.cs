namespace Loxo;

// The value has arrived, so nothing waits; but the base class forgets the token when it reports a cancellation.
public sealed partial class PgNestedDataReader
{
    /// <inheritdoc/>
    public override Task<bool> ReadAsync(CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested ? Task.FromCanceled<bool>(cancellationToken) : base.ReadAsync(cancellationToken);

    /// <inheritdoc/>
    public override Task<bool> NextResultAsync(CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested ? Task.FromCanceled<bool>(cancellationToken) : base.NextResultAsync(cancellationToken);

    /// <inheritdoc/>
    public override Task<bool> IsDBNullAsync(int ordinal, CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested ? Task.FromCanceled<bool>(cancellationToken) : base.IsDBNullAsync(ordinal, cancellationToken);

    /// <inheritdoc/>
    public override Task<T> GetFieldValueAsync<T>(int ordinal, CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested ? Task.FromCanceled<T>(cancellationToken) : base.GetFieldValueAsync<T>(ordinal, cancellationToken);
}
