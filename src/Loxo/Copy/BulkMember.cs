namespace Loxo.Copy;

/// <summary>Writes one value of an object, without boxing it.</summary>
internal abstract class BulkMember<T>
{
    public abstract void Write(ImportWriter writer, T row);
}

/// <inheritdoc/>
internal sealed class BulkMember<T, TValue>(Func<T, TValue> value) : BulkMember<T>
{
    public override void Write(ImportWriter writer, T row) => writer.Write(value(row));
}
